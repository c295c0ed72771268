extension JSONWriter {
  mutating func write(_ number: Int) {
    reserve(20)
    if number < 0 { put(UInt8(ascii: "-")) }
    putDigits(of: UInt64(number.magnitude))
  }

  mutating func write(_ number: UInt) {
    reserve(20)
    putDigits(of: UInt64(number))
  }

  /// Writes a number as the standard library describes it, or `null` if JSON has none like it.
  mutating func write(_ number: Double) {
    guard number.isFinite else { return append("null") }
    reserve(32)
    if number.sign == .minus { put(UInt8(ascii: "-")) }
    let magnitude = number.magnitude
    if magnitude >= 1e-4, magnitude <= 0x1p53 {
      put(plain: magnitude)
    } else if magnitude > 0 {
      put(scientific: magnitude)
    } else {
      append("0.0")
    }
  }

  /// Writes a number in which the point can stand at its place.
  @inline(__always)
  private mutating func put(plain number: Double) {
    if number < 1e9, number >= 0.001 {
      // A number of so few digits that is nearest to a Double is the only one of its length, and the
      // shortest once it has no zeros at its end. Above 2^52 the bits count whole numbers.
      let shifted = number * 1e6 + 0x1p52
      if (shifted - 0x1p52) / 1e6 == number {
        return put(millionths: shifted.bitPattern & ~0 >> 12)
      }
    }
    let whole = UInt64(truncatingIfNeeded: Int(number))
    if number >= 1e9, Double(Int(truncatingIfNeeded: whole)) == number {
      return put(whole, decimals: 0, 1)
    }
    // Whole numbers are Doubles here, so that none lies between a number and its decimal.
    let decimal = ShortestDecimal(number)
    let places = 0 &- decimal.exponent
    let above = whole == 0 ? 0 : whole &* Self.powers[places]
    put(whole, decimals: decimal.digits &- above, places)
  }

  @inline(__always)
  private mutating func put(millionths: UInt64) {
    let (hundredths, rest) = millionths.quotientAndRemainder(dividingBy: 10_000)
    if rest > 0 { return put(millionths / 1_000_000, decimals: millionths % 1_000_000, 6) }
    // Most numbers that people write.
    putDigits(of: hundredths / 100)
    let decimals = UInt8(truncatingIfNeeded: hundredths % 100)
    put(UInt8(ascii: "."))
    put(0x30 &+ decimals / 10)
    if decimals % 10 > 0 { put(0x30 &+ decimals % 10) }
  }

  /// Writes `1.2345e+20` and its like.
  private mutating func put(scientific number: Double) {
    let decimal = ShortestDecimal(number)
    let places = Self.digits(of: decimal.digits) - 1
    let (first, rest) = decimal.digits.quotientAndRemainder(dividingBy: Self.powers[places])
    if rest == 0 { putDigits(of: first) } else { put(first, decimals: rest, places) }
    let exponent = decimal.exponent + places
    put(UInt8(ascii: "e"))
    put(exponent < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
    if exponent.magnitude < 10 { put(UInt8(ascii: "0")) }
    putDigits(of: UInt64(exponent.magnitude))
  }

  /// Writes so many decimals behind a whole number and a point, without zeros at the end unless that
  /// is the only one.
  @inline(__always)
  private mutating func put(_ whole: UInt64, decimals: UInt64, _ places: Int) {
    putDigits(of: whole)
    put(UInt8(ascii: "."))
    putDecimals(decimals, places)
  }

  /// Writes the decimals without zeros at the end, of which there are at most 24.
  private mutating func putDecimals(_ decimals: UInt64, _ places: Int) {
    if places <= 8 { return putLast(decimals &* Self.powers[8 &- places]) }
    if places <= 16 {
      let (upper, lower) = (decimals &* Self.powers[16 &- places])
        .quotientAndRemainder(dividingBy: 100_000_000)
      if lower == 0 { return putLast(upper) }
      put(EightDigits(upper).text(ofLast: 8), 8)
      return putLast(lower)
    }
    let (first, rest) = decimals.quotientAndRemainder(dividingBy: Self.powers[16])
    if rest == 0 { return putDecimals(first, places &- 16) }
    put(EightDigits(first).text(ofLast: places &- 16), places &- 16)
    putDecimals(rest, 16)
  }

  /// Writes the last of the decimals, which are eight.
  @inline(__always)
  private mutating func putLast(_ decimals: UInt64) {
    let digits = EightDigits(decimals)
    put(digits.text(ofLast: 8), 8 &- digits.zerosAtEnd)
  }

  /// Writes a number for which there is room.
  private mutating func putDigits(of number: UInt64) {
    if number < 10 { return put(0x30 &+ UInt8(truncatingIfNeeded: number)) }
    if number < 100_000_000 {
      let digits = EightDigits(number)
      let length = 8 &- digits.zerosAtStart
      return put(digits.text(ofLast: length), length)
    }
    let (upper, lower) = number.quotientAndRemainder(dividingBy: 100_000_000)
    putDigits(of: upper)
    put(EightDigits(lower).text(ofLast: 8), 8)
  }

  /// How many digits a number has.
  @inline(__always)
  private static func digits(of number: UInt64) -> Int {
    // The logarithm to ten, from that to two; one too few from the next power of ten on.
    let least = ((64 - (number | 1).leadingZeroBitCount) * 1233) >> 12
    return max(1, least + (number >= powers[least] ? 1 : 0))
  }

  private static let powers: InlineArray<20, UInt64> = [
    1, 10, 100, 1000, 10000, 100000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]
}

/// The eight digits of a number below 100,000,000, one a byte, the first lowest.
private struct EightDigits {
  private let digits: UInt64

  @inline(__always)
  init(_ number: UInt64) {
    // Two halves, two halves of each, and of those. A quotient is a product's upper bits, and stays
    // below; the remainder goes above, p times as high: `(n - q * d) * p + q = n * p - q * (d * p - 1)`.
    let half = (number &* 109_951_163) >> 40
    let fours = half | (number &- half &* 10_000) << 32
    let hundreds = ((fours &* 10_486) >> 20) & 0x0000_007F_0000_007F
    let pairs = fours << 16 &- hundreds &* (100 << 16 - 1)
    let tens = ((pairs &* 103) >> 10) & 0x000F_000F_000F_000F
    digits = pairs << 8 &- tens &* (10 << 8 - 1)
  }

  // Of eight zeros, one counts as a digit.
  @inline(__always) var zerosAtStart: Int { (digits | 1 << 56).trailingZeroBitCount / 8 }
  @inline(__always) var zerosAtEnd: Int { (digits | 1).leadingZeroBitCount / 8 }

  /// The text of the last digits, the first lowest.
  @inline(__always)
  func text(ofLast length: Int) -> UInt64 {
    ((digits | 0x3030_3030_3030_3030) &>> UInt64(truncatingIfNeeded: 8 &* (8 &- length)))
      .littleEndian
  }
}
