/// Numbers to so many places behind the point, as they are written: `2.675` has a half in its third.
enum Decimals {
  /// The most places.
  static let most = 20

  /// The nearest number with that many places; halves are rounded away from 0.
  static func rounded(_ value: Value, _ places: Value) -> Value {
    guard case .double(let number) = value else { return value }
    guard let decimal = Decimal(number, places: places.whole) else { return value }
    let magnitude = Double("\(decimal.digits)e\(decimal.exponent)") ?? number.magnitude
    return .double(number.sign == .minus ? -magnitude : magnitude)
  }

  /// The text with exactly that many places.
  static func formatted(_ value: Value, _ places: Value) -> Value {
    let places = places.whole
    switch value {
    case .int(let number):
      return .string(text(number < 0, "\(number.magnitude)" + zeros(places), places))
    case .uint(let number): return .string(text(false, "\(number)" + zeros(places), places))
    case .double(let number):
      guard number != 0 else { return .string(text(false, zeros(places + 1), places)) }
      let decimal = Decimal(number, places: places) ?? Decimal(number)
      let digits = "\(decimal.digits)" + zeros(decimal.exponent + places)
      return .string(text(number < 0 && decimal.digits > 0, digits, places))
    default: return value
    }
  }

  private static func zeros(_ count: Int) -> String { String(repeating: "0", count: max(0, count)) }

  /// The text of a number of which `digits` are all digits, the last `places` of them behind the point.
  private static func text(_ isNegative: Bool, _ digits: String, _ places: Int) -> String {
    let all = zeros(places + 1 - digits.count) + digits
    let sign = isNegative ? "-" : ""
    return places == 0 ? sign + all : "\(sign)\(all.dropLast(places)).\(all.suffix(places))"
  }

  /// A number as the digits that it is written with, times a power of ten.
  private struct Decimal {
    let digits: UInt64
    let exponent: Int

    init(_ number: Double) {
      let decimal = ShortestDecimal(number.magnitude)
      (digits, exponent) = (decimal.digits, decimal.exponent)
    }

    /// The number rounded to so many places; `nil` if it has no more.
    init?(_ number: Double, places: Int) {
      guard number != 0 else { return nil }
      let all = Decimal(number)
      guard all.exponent < -places else { return nil }
      let extra = -places - all.exponent
      exponent = -places
      guard extra < 20 else {
        digits = 0
        return
      }
      let unit = (0..<extra).reduce(UInt64(1)) { unit, _ in unit * 10 }
      let (quotient, rest) = all.digits.quotientAndRemainder(dividingBy: unit)
      digits = quotient + (rest >= unit - rest ? 1 : 0)
    }
  }
}
