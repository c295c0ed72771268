/// A value that needs no reference; a Double in it is finite.
enum Scalar {
  case null
  case bool(Bool)
  case int(Int)
  /// An integer above all Ints.
  case uint(UInt)
  case double(Double)

  /// `value` without a reference, if it is decoded and needs none.
  @inline(__always)
  init?(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .int(let number): self = .int(number)
    case .uint(let number): self = .uint(number)
    case .double(let number): self = .double(number)
    case .string, .array, .object, .number, .raw: return nil
    }
  }

  /// What stands at a place of a text that is known to be JSON, if it needs no reference.
  @inline(__always)
  init?(at start: JSONGrammar.Place) {
    switch unsafe start.pointee {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      guard let number = unsafe JSONNumber(at: start)?.scalar else { return nil }
      self = number
    case UInt8(ascii: "t"): self = .bool(true)
    case UInt8(ascii: "f"): self = .bool(false)
    case UInt8(ascii: "n"): self = .null
    default: return nil
    }
  }

  /// What all of `text` is the JSON of, if it needs no reference.
  init?(whole text: PaddedText) {
    var scalar: Scalar?
    let isWhole = unsafe JSONScan.isWhole(text) { start in
      if let number = unsafe JSONNumber(at: start) {
        scalar = number.scalar
        return unsafe number.end
      }
      scalar = unsafe Scalar(at: start)
      guard scalar != nil else { return nil }
      return unsafe JSONScan.withoutGuesses { unsafe $0.value(start, inside: 0, &$1) }
    }
    guard let scalar, isWhole else { return nil }
    self = scalar
  }
}

// MARK: - Numbers

extension Scalar: Equatable {
  /// Compares by value: an integer equals the Double with the same value.
  @inline(__always)
  static func == (lhs: Scalar, rhs: Scalar) -> Bool {
    switch (lhs, rhs) {
    case (.int(let a), .int(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.int(let a), .double(let b)), (.double(let b), .int(let a)): Int(exactly: b) == a
    case (.uint(let a), .uint(let b)): a == b
    case (.uint(let a), .double(let b)), (.double(let b), .uint(let a)): UInt(exactly: b) == a
    case (.bool(let a), .bool(let b)): a == b
    case (.null, .null): true
    default: false
    }
  }

  /// The nearest Double; `nil` if this is no number.
  var double: Double? {
    switch self {
    case .int(let number): Double(number)
    case .uint(let number): Double(number)
    case .double(let number): number
    case .null, .bool: nil
    }
  }

  /// The value of an Int or a UInt; `nil` for anything else.
  var integer: Int128? {
    switch self {
    case .int(let number): Int128(number)
    case .uint(let number): Int128(number)
    case .double, .null, .bool: nil
    }
  }

  /// Makes an Int if `integer` fits in one, or else a UInt; `nil` if it fits in neither.
  init?(_ integer: Int128) {
    if let number = Int(exactly: integer) {
      self = .int(number)
    } else if let number = UInt(exactly: integer) {
      self = .uint(number)
    } else {
      return nil
    }
  }

  /// Makes a scalar of a number; if `value` is no number, throws an error that names the function or
  /// operator `name`.
  init(number value: Value, for name: String) throws(EvaluationError) {
    let value = value.decoded
    guard value.isNumber else { throw .fault("\(name) needs numbers, not \(value.kind)") }
    guard let number = Scalar(value) else { throw .overflow }
    self = number
  }
}

extension Value {
  /// The value.
  @inline(__always)
  init(_ scalar: Scalar) {
    switch scalar {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .int(let number): self = .int(number)
    case .uint(let number): self = .uint(number)
    case .double(let number): self = .double(number)
    }
  }
}
