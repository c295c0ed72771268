internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

/// A value on its way through a subject: bytes for streams, a `Value` for pipelines.
///
/// The bytes belong to the connection's input; the `Value`, which copies them, is made when the
/// first pipeline wants it.
@safe  // memory 8
struct PublishedValue {
  let bytes: UnsafeRawBufferPointer
  private var decoded: Value?
  private var knownLine: Bool?

  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = unsafe bytes
  }

  init(_ bytes: UnsafeRawBufferPointer, of value: Value) {
    unsafe self.init(bytes)
    decoded = value
  }

  /// Whether the bytes can stand in a `=` frame: they have no CR and no LF.
  var isLine: Bool {
    mutating get {
      if let knownLine { return knownLine }
      let isLine = unsafe !containsLineEnd(bytes)
      knownLine = isLine
      return isLine
    }
  }

  var value: Value {
    mutating get {
      if let decoded { return decoded }
      let value = unsafe Value(bytes: bytes)
      decoded = value
      return value
    }
  }
}
