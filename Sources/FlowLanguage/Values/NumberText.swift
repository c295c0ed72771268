/// A number as it is spelled in JSON.
public struct NumberText: Sendable {
  let text: String

  /// An Int if it is a whole number that fits, or else the nearest Double.
  var value: Value {
    unsafe text.withBytes { bytes in
      unsafe PaddedText.with(copyOf: bytes) { text in
        unsafe (JSONNumber(at: text.start)?.scalar).map(Value.init) ?? .null
      }
    }
  }
}
