/// A value that takes no reference.
enum Scalar: Equatable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)

  /// `value` without a reference, if it is decoded and needs none.
  @inline(__always)
  init?(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .int(let number): self = .int(number)
    case .double(let number): self = .double(number)
    case .string, .array, .object, .number, .raw: return nil
    }
  }

  /// What stands at a place of a text that is known to be JSON, if it needs no reference.
  @inline(__always)
  init?(at start: JSONGrammar.Place) {
    switch unsafe start.pointee {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      guard let number = unsafe JSONNumber(at: start) else { return nil }
      self = number.scalar
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

extension Value {
  /// The value.
  @inline(__always)
  init(_ scalar: Scalar) {
    switch scalar {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .int(let number): self = .int(number)
    case .double(let number): self = .double(number)
    }
  }
}
