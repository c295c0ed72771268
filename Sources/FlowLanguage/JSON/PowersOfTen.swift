/// The powers of ten to 128 bits, which are what it takes to read and to write any Double exactly.
///
/// Computed when the first is asked for, which takes about a tenth of a millisecond.
enum PowersOfTen {
  /// The highest 128 bits of 10 to a power; the bits below are cut off.
  struct Power {
    let high: UInt64
    let low: UInt64
    /// Whether nothing was cut off.
    let isExact: Bool
  }

  static let exponents = -342...324

  /// 10 to the power of `exponent`, which is one of `exponents`.
  @inline(__always)
  static func power(_ exponent: Int) -> Power { all[exponent - exponents.lowerBound] }

  private static let all: [Power] = negative.reversed() + nonnegative

  // A factor of two moves the bits and changes none, so powers of five do.

  /// From the power of 0 on.
  private static var nonnegative: [Power] {
    var number: [UInt64] = [1]
    return (0...exponents.upperBound).map { exponent in
      if exponent > 0 { multiply(&number, by: 5) }
      return highest(of: number)
    }
  }

  /// From the power of -1 downwards: a large power of two is divided by five again and again, of which
  /// the remainders do not matter, since they are below one.
  private static var negative: [Power] {
    var number = Array(repeating: UInt64(0), count: 16) + [1]
    return (1...(-exponents.lowerBound)).map { _ in
      divide(&number, by: 5)
      let power = highest(of: number)
      return Power(high: power.high, low: power.low, isExact: false)
    }
  }

  // Numbers of many words, the lowest first.

  private static func multiply(_ number: inout [UInt64], by factor: UInt64) {
    var carry: UInt64 = 0
    for index in number.indices {
      let (high, low) = number[index].multipliedFullWidth(by: factor)
      let (sum, overflow) = low.addingReportingOverflow(carry)
      number[index] = sum
      carry = high + (overflow ? 1 : 0)
    }
    if carry > 0 { number.append(carry) }
  }

  private static func divide(_ number: inout [UInt64], by divisor: UInt64) {
    var remainder: UInt64 = 0
    for index in number.indices.reversed() {
      (number[index], remainder) = divisor.dividingFullWidth((remainder, number[index]))
    }
    if number.last == 0 { number.removeLast() }
  }

  private static func highest(of number: [UInt64]) -> Power {
    func word(_ place: Int) -> UInt64 { place <= number.count ? number[number.count - place] : 0 }
    let shift = UInt64(word(1).leadingZeroBitCount)
    func shifted(_ place: Int) -> UInt64 {
      shift == 0 ? word(place) : word(place) << shift | word(place + 1) >> (64 - shift)
    }
    let rest = shifted(3) | number.dropLast(3).reduce(0, |)
    return Power(high: shifted(1), low: shifted(2), isExact: rest == 0)
  }
}
