/// A number as it is spelled in JSON.
public struct NumberText: Sendable {
  let text: String

  /// An Int if it is a whole number that fits, or else the nearest Double.
  var value: Value {
    var copy = text
    return copy.withUTF8 { unsafe Self.value(of: $0) }
  }

  /// The value of digits that are a JSON number.
  static func value(of digits: UnsafeBufferPointer<UInt8>) -> Value {
    var isWhole = true
    var mantissa: UInt64 = 0
    var significant = 0
    var scale = 0
    var index = unsafe digits.first == UInt8(ascii: "-") ? 1 : 0
    while index < digits.count {
      let unit = unsafe digits[index]
      if unit == UInt8(ascii: ".") {
        isWhole = false
      } else if unit | 0x20 == UInt8(ascii: "e") {
        isWhole = false
        break
      } else {
        mantissa = mantissa &* 10 &+ UInt64(unit & 15)
        if mantissa > 0 { significant += 1 }
        if !isWhole { scale -= 1 }
      }
      index += 1
    }
    let isNegative = unsafe digits.first == UInt8(ascii: "-")
    if isWhole, significant <= 18 { return .int(isNegative ? -Int(mantissa) : Int(mantissa)) }
    let exponent = unsafe index < digits.count ? Int(text(digits[(index + 1)...])) : 0
    // Both factors are exact, so the product or quotient is the nearest Double:
    // W. D. Clinger, "How to Read Floating Point Numbers Accurately", 1990.
    if let exponent, significant <= 15, exponent.magnitude < 100, abs(scale + exponent) <= 22 {
      let power = powers[abs(scale + exponent)]
      let number = scale + exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
      return .double(isNegative ? -number : number)
    }
    let text = unsafe text(digits[...])
    if isWhole, let number = Int(text) { return .int(number) }
    return .double(Double(text) ?? .nan)
  }

  private static func text(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    unsafe String(decoding: digits, as: UTF8.self)
  }

  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
