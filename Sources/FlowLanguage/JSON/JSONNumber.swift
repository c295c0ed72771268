/// A number as it is spelled in JSON.
@safe  // memory 8
struct JSONNumber {
  private let start: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  private let isNegative: Bool
  /// Whether it has neither a point nor an exponent.
  private let isWhole: Bool
  /// The digits as one number, if there are no more than `mostDigits`.
  private let mantissa: UInt64
  /// How many digits there are.
  private let digits: Int
  /// The power of ten by which the mantissa is multiplied.
  private let power: Int

  /// So many digits fit into a mantissa.
  private static let mostDigits = 19

  /// The number that begins at `start`; `nil` if that is none.
  @inline(__always)
  init?(at start: JSONGrammar.Place) {
    unsafe self.start = unsafe start
    isNegative = unsafe JSONGrammar.has("-", at: start)
    let first = unsafe isNegative ? start + 1 : start
    var next = unsafe first
    var mantissa: UInt64 = 0
    while let eight = unsafe Self.eightDigits(next) {
      mantissa = mantissa &* 100_000_000 &+ eight
      unsafe next += 8
    }
    unsafe Self.read(&next, &mantissa)
    var digits = unsafe next - first
    guard unsafe digits == 1 || digits > 1 && !JSONGrammar.has("0", at: first) else { return nil }
    var power = 0
    var isWhole = true
    if unsafe JSONGrammar.has(".", at: next) {
      isWhole = false
      unsafe next += 1
      let point = unsafe next
      unsafe Self.read(&next, &mantissa)
      power = unsafe point - next
      guard power < 0 else { return nil }
      digits &-= power
    }
    if unsafe next.pointee | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      guard let exponent = unsafe Self.exponent(&next) else { return nil }
      power &+= exponent
    }
    unsafe end = unsafe next
    self.isWhole = isWhole
    self.mantissa = mantissa
    self.digits = digits
    self.power = power
  }

  @inline(__always)
  private static func read(_ next: inout JSONGrammar.Place, _ mantissa: inout UInt64) {
    while case let digit = unsafe next.pointee &- 0x30, digit < 10 {
      mantissa = mantissa &* 10 &+ UInt64(digit)
      unsafe next += 1
    }
  }

  /// The number of the eight digits at a place, if there are so many.
  @inline(__always)
  private static func eightDigits(_ next: JSONGrammar.Place) -> UInt64? {
    let bytes = unsafe UInt64(
      littleEndian: UnsafeRawPointer(next).loadUnaligned(as: UInt64.self)
    )
    // Of a digit the upper half is 3, and is still after 6 is added to it.
    let halves: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
    let threes: UInt64 = 0x3030_3030_3030_3030
    let raised = (bytes &+ 0x0606_0606_0606_0606) & halves
    guard bytes & halves | raised >> 4 == threes | threes >> 4 else { return nil }
    // Of two neighbours each the number, of two of these, and of two of those.
    let pairs = ((bytes & ~halves) &* 2561) >> 8
    let fours = ((pairs & 0x00FF_00FF_00FF_00FF) &* 6_553_601) >> 16
    return ((fours & 0x0000_FFFF_0000_FFFF) &* 42_949_672_960_001) >> 32
  }

  /// Reads the exponent that begins at `next`; one that is beyond all numbers is no larger than that.
  @inline(never)
  private static func exponent(_ next: inout JSONGrammar.Place) -> Int? {
    unsafe next += 1
    let isNegative = unsafe JSONGrammar.has("-", at: next)
    if unsafe isNegative || JSONGrammar.has("+", at: next) { unsafe next += 1 }
    let first = unsafe next
    var exponent = 0
    while case let digit = unsafe next.pointee &- 0x30, digit < 10 {
      if exponent < 1 << 32 { exponent = exponent * 10 + Int(digit) }
      unsafe next += 1
    }
    guard unsafe next > first else { return nil }
    return isNegative ? -exponent : exponent
  }
}

extension JSONNumber {
  /// How many bytes it has.
  var count: Int { unsafe end - start }

  private var text: String {
    unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  private var int: Int {
    let number = Int(truncatingIfNeeded: mantissa)
    return isNegative ? -number : number
  }

  /// An Int or a UInt if the number is spelled as one, or else the number as text.
  var value: Value {
    if isWhole, digits < Self.mostDigits, mantissa > 0 || !isNegative { return .int(int) }
    let text = text
    if text != "-0", let number = longInteger { return Value(number) }
    return .number(NumberText(text: text))
  }

  /// An Int or a UInt if it is a whole number that fits, or else the nearest Double; `nil` if it is
  /// too large for a Double.
  @inline(__always)
  var scalar: Scalar? {
    if isWhole, digits < Self.mostDigits { return .int(int) }
    // Both factors are exact, so the quotient or product is the nearest Double:
    // W. D. Clinger, "How to Read Floating Point Numbers Accurately", 1990.
    if digits <= Self.mostDigits, mantissa <= 1 << 53, power.magnitude <= 22 {
      let factor = Self.powers[Int(power.magnitude)]
      let number = power < 0 ? Double(mantissa) / factor : Double(mantissa) * factor
      return .double(isNegative ? -number : number)
    }
    return hardScalar
  }

  /// An Int or a UInt, read from the text since `mantissa` may not hold all digits; `nil` if it fits
  /// in neither.
  private var longInteger: Scalar? {
    guard isWhole else { return nil }
    let text = text
    return Int(text).map(Scalar.int) ?? UInt(text).map(Scalar.uint)
  }

  @inline(never)
  private var hardScalar: Scalar? {
    if let number = longInteger { return number }
    if digits <= Self.mostDigits, let number = Self.nearest(mantissa, power) {
      return .double(isNegative ? -number : number)
    }
    return Double(text).flatMap { $0.isFinite ? .double($0) : nil }
  }

  /// The Double that is nearest to `mantissa` times ten to the power of `power`; `nil` if that takes
  /// more than 128 bits, or if there is none in the usual range.
  ///
  /// D. Lemire, "Number Parsing at a Gigabyte per Second", 2021.
  private static func nearest(_ mantissa: UInt64, _ power: Int) -> Double? {
    guard mantissa > 0 else { return 0 }
    guard power >= -342, power <= 308 else { return nil }
    let factor = PowersOfTen.power(power)
    let zeros = mantissa.leadingZeroBitCount
    let number = mantissa << UInt64(zeros)
    var (high, low) = factor.high.multipliedFullWidth(by: number)
    // Bits beyond those that count: only if all are set can what is below change them.
    if high & 0x1FF == 0x1FF {
      // Of these the next number is nearer to the power, or as good.
      let below = factor.low &+ ((-27..<0).contains(power) ? 1 : 0)
      let (sum, carry) = low.addingReportingOverflow(below.multipliedFullWidth(by: number).high)
      low = sum
      if carry { high += 1 }
      if low == .max, !(-27...55).contains(power) { return nil }
    }
    let upper = high >> 63
    var bits = high >> (upper + 9)
    // The logarithm of the power of ten to two.
    var exponent = (217_706 * power) >> 16 + 63 + Int(upper) - zeros + 1023
    guard exponent > 0 else { return nil }
    // Just between two: the even one.
    if low <= 1, (-4...23).contains(power), bits & 3 == 1, bits << (upper + 9) == high {
      bits &= ~1
    }
    bits = (bits + bits & 1) >> 1
    if bits >= 1 << 53 {
      bits = 1 << 52
      exponent += 1
    }
    guard exponent < 0x7FF else { return nil }
    return Double(
      sign: .plus,
      exponentBitPattern: UInt(exponent),
      significandBitPattern: bits & ~(1 << 52)
    )
  }

  private static let powers: InlineArray<23, Double> = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
