extension JSONWriter {
  mutating func write(_ number: Int) {
    reserve(20)
    if number < 0 { put(UInt8(ascii: "-")) }
    putDigits(of: UInt64(number.magnitude))
  }

  /// Writes a number as the standard library describes it, or `null` if JSON has none like it.
  mutating func write(_ number: Double) {
    guard number.isFinite else { return append("null") }
    reserve(32)
    if number.sign == .minus { put(UInt8(ascii: "-")) }
    let magnitude = number.magnitude
    if magnitude < 1e9, magnitude >= 0.001 {
      if putHundredths(of: magnitude) || putMillionths(of: magnitude) { return }
    }
    put(shortest: magnitude)
  }

  // A number of so few digits that is nearest to a Double is the only one of its length, and the
  // shortest once it has no zeros at its end.

  /// Writes a number that has one or two decimals; false if it is another one.
  @inline(__always)
  private mutating func putHundredths(of number: Double) -> Bool {
    let hundredths = UInt64(number * 100 + 0.5)
    guard Double(hundredths) / 100 == number else { return false }
    putDigits(of: hundredths / 100)
    put(UInt8(ascii: "."))
    let decimals = UInt8(truncatingIfNeeded: hundredths % 100)
    put(0x30 + decimals / 10)
    if decimals % 10 > 0 { put(0x30 + decimals % 10) }
    return true
  }

  /// Writes a number that has up to six decimals; false if it is another one.
  private mutating func putMillionths(of number: Double) -> Bool {
    var decimals = UInt64(number * 1e6 + 0.5)
    guard Double(decimals) / 1e6 == number else { return false }
    putDigits(of: decimals / 1_000_000)
    put(UInt8(ascii: "."))
    decimals %= 1_000_000
    var length = 6
    while length > 1, decimals % 10 == 0 {
      decimals /= 10
      length -= 1
    }
    putDigits(of: decimals, length)
    return true
  }

  private mutating func put(shortest number: Double) {
    guard number > 0 else { return append("0.0") }
    let decimal = ShortestDecimal(number)
    var digits = decimal.digits
    var exponent = decimal.exponent
    while case let (rest, end) = digits.quotientAndRemainder(dividingBy: 10), end == 0 {
      digits = rest
      exponent += 1
    }
    let length = Self.digits(of: digits)
    // How many digits stand before the point.
    let point = length + exponent
    if point < -3 || number > 0x1p53 {
      putScientific(digits, length, exponent: point - 1)
    } else if point <= 0 {
      put(UInt8(ascii: "0"))
      put(UInt8(ascii: "."))
      putDigits(of: digits, length - point)
    } else if exponent >= 0 {
      putDigits(of: digits)
      for _ in 0..<exponent { put(UInt8(ascii: "0")) }
      put(UInt8(ascii: "."))
      put(UInt8(ascii: "0"))
    } else {
      putDigits(of: digits, length)
      putPoint(before: length - point)
    }
  }

  /// Writes `1.2345e+20` and its like.
  private mutating func putScientific(_ digits: UInt64, _ length: Int, exponent: Int) {
    putDigits(of: digits, length)
    if length > 1 { putPoint(before: length - 1) }
    put(UInt8(ascii: "e"))
    put(exponent < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
    putDigits(of: UInt64(exponent.magnitude), max(2, Self.digits(of: UInt64(exponent.magnitude))))
  }

  /// Puts a point before the last digits that were written.
  private mutating func putPoint(before digits: Int) {
    let place = unsafe start + count - digits
    unsafe (place + 1).update(from: place, count: digits)
    unsafe place.pointee = UInt8(ascii: ".")
    count += 1
  }

  /// Writes digits for which there is room.
  @inline(__always)
  private mutating func putDigits(of number: UInt64) {
    putDigits(of: number, Self.digits(of: number))
  }

  /// Writes so many digits for which there is room, with zeros before them if need be.
  private mutating func putDigits(of number: UInt64, _ length: Int) {
    var rest = number
    var left = length
    let place = unsafe UnsafeMutableRawPointer(start + count)
    count += length
    // Two at a time: a division takes as long for one.
    let pairs = unsafe UnsafeRawPointer(Self.pairs.utf8Start)
    while left >= 2 {
      left &-= 2
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 100)
      rest = quotient
      let pair = unsafe (pairs + Int(remainder) * 2).loadUnaligned(as: UInt16.self)
      unsafe (place + left).storeBytes(of: pair, as: UInt16.self)
    }
    if left > 0 { unsafe place.storeBytes(of: 0x30 + UInt8(rest % 10), as: UInt8.self) }
  }

  /// All numbers of two digits.
  private static let pairs: StaticString = """
    00010203040506070809101112131415161718192021222324252627282930313233343536373839\
    40414243444546474849505152535455565758596061626364656667686970717273747576777879\
    8081828384858687888990919293949596979899
    """

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
