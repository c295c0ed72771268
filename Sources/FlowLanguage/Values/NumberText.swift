/// A number as it is spelled in JSON.
public struct NumberText: Sendable {
  let text: String

  /// An Int, a UInt or else the nearest Double; itself if it is beyond all Doubles.
  var value: Value {
    let scalar = unsafe text.withBytes { bytes in
      unsafe PaddedText.with(copyOf: bytes) { unsafe JSONNumber(at: $0.start)?.scalar }
    }
    return scalar.map(Value.init) ?? .number(self)
  }

  /// The number without its fraction, by its digits; `nil` if that does not fit in an Int.
  var truncated: Int? {
    // So few digits have a Double of their own, on the same side of each whole number.
    if text.utf8.count <= 15, case .double(let number) = value, number.magnitude < 1e15 {
      return Int(number)
    }
    let parts = text.lowercased().split(separator: "e")
    let point = parts[0].split(separator: ".")
    let sign = text.hasPrefix("-") ? "-" : ""
    let digits = "\(point[0])\(point.dropFirst().first ?? "")".dropFirst(sign.count)
    let significant = digits.drop { $0 == "0" }
    var exponent = 0
    if parts.count > 1 { exponent = Int(parts[1]) ?? (parts[1].hasPrefix("-") ? .min : .max) }
    // How many of the significant digits stand before the point; no text has 2^40.
    let moved = min(max(exponent, -1 << 40), 1 << 40)
    let length = point[0].count - sign.count - (digits.count - significant.count) + moved
    guard length > 0, !significant.isEmpty else { return 0 }
    guard length <= 19 else { return nil }
    let zeros = String(repeating: "0", count: max(0, length - significant.count))
    return Int("\(sign)\(significant.prefix(length))\(zeros)")
  }
}

extension Value {
  /// Whether it is a decoded number that is beyond all Doubles: nothing can be computed of it.
  @inline(__always)
  var isBeyondDoubles: Bool { if case .number = self { true } else { false } }

  /// The nearest Double; 0 if it is no decoded number.
  var real: Double { Scalar(self)?.double ?? 0 }
}
