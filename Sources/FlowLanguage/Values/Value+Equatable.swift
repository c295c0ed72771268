extension Value: Equatable {
  /// Compares as JSON: `1` and `1.0` are equal, and the order of keys does not count.
  public static func == (lhs: Value, rhs: Value) -> Bool {
    switch (lhs.decoded, rhs.decoded) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.int(let a), .double(let b)), (.double(let b), .int(let a)): Int(exactly: b) == a
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a.elements == b.elements
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}
