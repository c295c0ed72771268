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

extension Value {
  /// How a number is spelled that has not been computed with.
  var spelling: String? {
    switch self {
    case .number(let number): number.text
    case .raw(let raw): if case .number(let number) = raw.value { number.text } else { nil }
    default: nil
    }
  }

  /// Whether it is a decoded number that is beyond all Doubles: nothing can be computed of it.
  @inline(__always)
  var isBeyondDoubles: Bool {
    if case .double(let number) = self { !number.isFinite } else { false }
  }
}
