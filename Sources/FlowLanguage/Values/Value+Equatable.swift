extension Value: Equatable {
  /// Compares as JSON: `1` and `1.0` are equal, strings by their scalars, and the order of keys
  /// does not count; numbers beyond all Doubles are equal if they are spelled alike.
  public static func == (lhs: Value, rhs: Value) -> Bool {
    if case .raw(let a) = lhs, case .raw(let b) = rhs, a.bytes == b.bytes { return true }
    switch (lhs.decoded, rhs.decoded) {
    case (.null, .null): return true
    case (.bool(let a), .bool(let b)): return a == b
    case (.int(let a), .int(let b)): return a == b
    case (.double(let a), .double(let b)):
      return a == b && (a.isFinite || lhs.spelling == rhs.spelling)
    case (.int(let a), .double(let b)), (.double(let b), .int(let a)): return Int(exactly: b) == a
    case (.string(let a), .string(let b)): return a.isSame(as: b)
    case (.array(let a), .array(let b)): return a.elements == b.elements
    case (.object(let a), .object(let b)): return a == b
    default: return false
    }
  }
}
