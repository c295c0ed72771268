/// A number as it is spelled in JSON.
public struct NumberText: Sendable {
  let text: String

  /// An Int, a UInt or else the nearest Double; the number itself if it is too large for a Double.
  var value: Value {
    let scalar = unsafe text.withBytes { bytes in
      unsafe PaddedText.with(copyOf: bytes) { unsafe JSONNumber(at: $0.start)?.scalar }
    }
    return scalar.map(Value.init) ?? .number(self)
  }

  /// The number without its fraction, computed from its digits; `nil` if it does not fit in an Int.
  var truncated: Int? {
    // A number of so few digits is never rounded to or across a whole number.
    if text.utf8.count <= 15, case .double(let number) = value, number.magnitude < 1e15 {
      return Int(number)
    }
    let isNegative = text.hasPrefix("-")
    let end = text.utf8.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
    let mantissa = text[..<end].utf8.dropFirst(isNegative ? 1 : 0)
    let digits = mantissa.filter { $0 != UInt8(ascii: ".") }
    let significant = digits.drop { $0 == UInt8(ascii: "0") }
    var exponent = 0
    if end < text.endIndex {
      let spelled = text[text.utf8.index(after: end)...]
      // Limited to 2^40, since no text has that many digits.
      exponent = min(max(Int(spelled) ?? (spelled.hasPrefix("-") ? .min : .max), -1 << 40), 1 << 40)
    }
    // How many of the significant digits stand before the point.
    let whole = mantissa.prefix { $0 != UInt8(ascii: ".") }.count
    let length = whole - (digits.count - significant.count) + exponent
    guard length > 0, !significant.isEmpty else { return 0 }
    guard length <= 19 else { return nil }
    var magnitude: Int128 = 0
    for digit in significant.prefix(length) { magnitude = magnitude * 10 + Int128(digit - 0x30) }
    for _ in 0..<max(0, length - significant.count) { magnitude *= 10 }
    return Int(exactly: isNegative ? -magnitude : magnitude)
  }
}

extension Value {
  /// Whether this is a decoded number too large for a Double; nothing can be computed with it.
  @inline(__always)
  var isBeyondDoubles: Bool { if case .number = self { true } else { false } }

  /// The nearest Double; 0 if this is no decoded number.
  var real: Double { Scalar(self)?.double ?? 0 }
}
