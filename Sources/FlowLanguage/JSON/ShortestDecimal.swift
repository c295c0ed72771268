/// The shortest decimal number that is nearer to a Double than to any other one, and of those the
/// nearest.
///
/// R. Giulietti, "The Schubfach way to render doubles", 2020.
struct ShortestDecimal {
  /// Without zeros at its end only if it has less than 16 digits.
  let digits: UInt64
  /// The power of ten by which the digits are multiplied.
  let exponent: Int

  /// The decimal of a number that is finite and above 0.
  @inline(__always)
  init(_ number: Double) {
    if let decimal = Self(quickly: number) { self = decimal } else { self.init(exactly: number) }
  }

  @inline(never)
  private init(exactly number: Double) {
    let fraction = number.significandBitPattern
    let isNormal = number.exponentBitPattern > 0
    let significand = isNormal ? fraction | 1 << 52 : fraction
    let power = Int(max(number.exponentBitPattern, 1)) - 1075
    // The gap below a power of two is half as wide as the one above.
    let isNarrow = fraction == 0 && number.exponentBitPattern > 1
    // As a quarter of the unit.
    let lower = 4 * significand - (isNarrow ? 1 : 2)
    let middle = 4 * significand
    let upper = 4 * significand + 2
    // The logarithm to ten of 2^power, or of three quarters of it.
    let exponent = (power * 1_262_611 - (isNarrow ? 524_031 : 0)) >> 22
    let shift = Self.shift(power, exponent)
    let factor = Factor(-exponent)
    let bound = significand & 1
    let least = factor.times(lower << shift) + bound
    let value = factor.times(middle << shift)
    let most = factor.times(upper << shift) - bound

    let unit = value / 4
    if unit >= 10 {
      let ten = unit / 10
      let isBelow = least <= 40 * ten
      let isAbove = 40 * ten + 40 <= most
      if isBelow != isAbove {
        digits = ten + (isAbove ? 1 : 0)
        self.exponent = exponent + 1
        return
      }
    }
    self.exponent = exponent
    let isBelow = least <= 4 * unit
    let isAbove = 4 * unit + 4 <= most
    if isBelow != isAbove {
      digits = unit + (isAbove ? 1 : 0)
    } else {
      let half = 4 * unit + 2
      digits = unit + (value > half || value == half && unit & 1 == 1 ? 1 : 0)
    }
  }

  /// By how many bits 10^-exponent as 128 bits has to be shifted to count in units of 2^power.
  @inline(__always)
  private static func shift(_ power: Int, _ exponent: Int) -> UInt64 {
    // The logarithm to two of 10^-exponent.
    UInt64(truncatingIfNeeded: power &+ (-exponent &* 1_741_647) >> 19 &+ 1)
  }

  /// The decimal of a number in the middle between its neighbours; `nil` for the few where bits that
  /// are not computed here might matter.
  ///
  /// One product is enough: as wide as the gap is the power of ten itself.
  @inline(__always)
  private init?(quickly number: Double) {
    let fraction = number.significandBitPattern
    guard fraction > 0, number.exponentBitPattern > 0 else { return nil }
    let power = Int(truncatingIfNeeded: number.exponentBitPattern) &- 1075
    let exponent = (power &* 1_262_611) >> 22
    let shift = Self.shift(power, exponent)
    let factor = PowersOfTen.power(-exponent)
    let shifted = (fraction | 1 << 52) &<< shift
    let product = factor.high.multipliedFullWidth(by: shifted)
    let below = factor.low.multipliedFullWidth(by: shifted).high
    // Of each of these less than two of the lowest bits' worth is cut off.
    let (rest, carry) = product.low.addingReportingOverflow(below)
    let unit = product.high &+ (carry ? 1 : 0)
    let ten = unit / 10
    // The last digit and half the gap, in units of 2^-60.
    let last = (unit &- ten &* 10) << 60 | rest >> 4
    let half = factor.high &>> (5 &- shift)
    let missing = 10 << 60 &- (last &+ half)
    guard last &- half &+ 1 > 2, missing > 2, rest &- (1 << 63 &- 1) > 1 else { return nil }
    let isAbove = missing > 10 << 60
    if last < half || isAbove {
      digits = ten &+ (isAbove ? 1 : 0)
      self.exponent = exponent &+ 1
    } else {
      digits = unit &+ rest >> 63
      self.exponent = exponent
    }
  }

  /// A power of ten, rounded up.
  private struct Factor {
    private let high: UInt64
    private let low: UInt64

    @inline(__always)
    init(_ exponent: Int) {
      let power = PowersOfTen.power(exponent)
      let (low, carry) = power.low.addingReportingOverflow(power.isExact ? 0 : 1)
      self.low = low
      high = power.high &+ (carry ? 1 : 0)
    }

    /// The highest bits of the product; the lowest bit is 1 if there are any below.
    @inline(__always)
    func times(_ number: UInt64) -> UInt64 {
      let below = low.multipliedFullWidth(by: number).high
      let product = high.multipliedFullWidth(by: number)
      let (rest, carry) = product.low.addingReportingOverflow(below)
      return (product.high &+ (carry ? 1 : 0)) | (rest > 1 ? 1 : 0)
    }
  }
}
