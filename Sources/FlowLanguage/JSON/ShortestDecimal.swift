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
  init(_ number: Double) {
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
    // The logarithms to ten of 2^power, or of three quarters of it, and to two of 10^-exponent.
    let exponent = (power * 1_262_611 - (isNarrow ? 524_031 : 0)) >> 22
    let shift = UInt64(power + (-exponent * 1_741_647) >> 19 + 1)
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
