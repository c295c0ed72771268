internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

/// A value on its way through a subject: octets for streams, a `Value` for pipelines.
///
/// The octets belong to the connection's input; the `Value`, which copies them, is made when the
/// first pipeline wants it.
@safe  // memory 8
struct PublishedValue {
  let octets: UnsafeRawBufferPointer
  private var decoded: Value?
  private var knownLine: Bool?

  init(_ octets: UnsafeRawBufferPointer) {
    unsafe self.octets = unsafe octets
  }

  init(_ octets: UnsafeRawBufferPointer, of value: Value) {
    unsafe self.init(octets)
    decoded = value
  }

  /// Whether the octets can stand in a `=` frame: they have no CR and no LF.
  var isLine: Bool {
    mutating get {
      if let knownLine { return knownLine }
      let isLine = unsafe !containsLineEnd(octets)
      knownLine = isLine
      return isLine
    }
  }

  var value: Value {
    mutating get {
      if let decoded { return decoded }
      let value = unsafe Value(octets: octets)
      decoded = value
      return value
    }
  }
}
