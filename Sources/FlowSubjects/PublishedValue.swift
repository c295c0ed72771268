package import FlowLanguage
internal import FlowWire

/// A value on its way through a subject: bytes for streams, a `Value` for pipelines.
///
/// The bytes belong to the connection's input. The `Value` copies them when the first pipeline asks
/// for it.
@safe  // memory 8
public struct PublishedValue {
  package let bytes: UnsafeRawBufferPointer
  /// Whether the value came in a batch; such values have no CR and no LF.
  let isOfBatch: Bool
  private var decoded: Value?
  private var knownLine: Bool?

  package init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = unsafe bytes
    isOfBatch = false
  }

  init(ofBatch bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = unsafe bytes
    isOfBatch = true
    knownLine = true
  }

  package init(_ bytes: UnsafeRawBufferPointer, of value: Value) {
    unsafe self.init(bytes)
    decoded = value
  }

  /// Whether the bytes fit into a `=` frame: no CR and no LF.
  package var isLine: Bool {
    mutating get {
      if let knownLine { return knownLine }
      let isLine = unsafe !containsLineEnd(bytes)
      knownLine = isLine
      return isLine
    }
  }

  package var value: Value {
    mutating get {
      if let decoded { return decoded }
      let value = unsafe Value(bytes: bytes)
      decoded = value
      return value
    }
  }
}
