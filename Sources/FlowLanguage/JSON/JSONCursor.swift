/// Goes over JSON text part by part, for whoever makes a value of each.
///
/// What it is made of has to outlive it.
@safe  // memory 8
struct JSONCursor {
  var next: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  /// How many arrays and objects stood one inside another at most.
  var height: UInt32 = 0
  /// The bytes that what was made of it takes in memory.
  var memory = 0

  init(from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) {
    unsafe next = unsafe start
    unsafe self.end = unsafe end
  }

  private var grammar: JSONGrammar { unsafe JSONGrammar(end: end) }

  /// The next byte; 0, which no JSON text has, behind the last.
  var unit: UInt8 {
    @inline(__always) get { unsafe next < end ? next.pointee : 0 }
  }

  /// Reads `unit` if it is next.
  @inline(__always)
  mutating func read(_ unit: Unicode.Scalar) -> Bool {
    guard unsafe grammar.has(unit, at: next) else { return false }
    unsafe next += 1
    return true
  }

  @inline(__always)
  mutating func skipBlanks() { unsafe next = unsafe grammar.blanks(next) }

  /// Goes on at a place, if there is one.
  @inline(__always)
  private mutating func go(to place: UnsafePointer<UInt8>?) -> Bool {
    guard let place = unsafe place else { return false }
    unsafe next = unsafe place
    return true
  }

  mutating func read(word: StaticString) -> Bool {
    unsafe go(to: grammar.word(word, at: next))
  }

  /// Takes the bracket of what stands inside `depth` others.
  mutating func open(inside depth: UInt32) -> Bool {
    guard depth < UInt32(Extent.mostHeight) else { return false }
    height = max(height, depth + 1)
    unsafe next += 1
    skipBlanks()
    return true
  }

  /// Takes a comma and the blanks around it.
  @inline(__always)
  mutating func comma() -> Bool {
    guard read(",") else { return false }
    skipBlanks()
    return true
  }

  /// Takes a key, the colon and the blanks around it.
  @inline(__always)
  mutating func key() -> Text? {
    guard unit == UInt8(ascii: "\""), let text = string() else { return nil }
    skipBlanks()
    guard read(":") else { return nil }
    skipBlanks()
    return text
  }

  /// Takes a string whose quote is next.
  @inline(__always)
  mutating func string() -> Text? {
    guard let text = unsafe grammar.string(next + 1) else { return nil }
    unsafe next = unsafe text.end + 1
    return text
  }

  @inline(__always)
  mutating func number() -> Digits? {
    guard let digits = unsafe grammar.number(next) else { return nil }
    unsafe next = unsafe digits.end
    return digits
  }
}

// MARK: - Parts

extension JSONCursor {
  /// What stands between the quotes.
  @safe
  struct Text {
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var isPlain = true
  }

  /// What a number is made of.
  @safe
  struct Digits {
    let start: UnsafePointer<UInt8>
    var end: UnsafePointer<UInt8>
    var isNegative = false
    var isWhole = true
    /// The number that the digits would be without point and exponent, if they are few enough.
    var mantissa: UInt64 = 0
    /// How many digits there are from the first on that is not 0.
    var significant = 0
    /// The power of ten by which the point divides: 0 or less.
    var scale = 0
    /// What stands behind the `e`, if there is one.
    var exponent: UnsafePointer<UInt8>?

    init(start: UnsafePointer<UInt8>) {
      unsafe self.start = unsafe start
      unsafe end = unsafe start
    }
  }

  static func hexDigit(_ unit: UInt8) -> UInt16? {
    switch unit {
    case 0x30...0x39: UInt16(unit) - 0x30
    case 0x41...0x46: UInt16(unit) - 0x41 + 10
    case 0x61...0x66: UInt16(unit) - 0x61 + 10
    default: nil
    }
  }
}
