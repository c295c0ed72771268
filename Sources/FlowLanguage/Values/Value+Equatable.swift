extension Value: Equatable {
  /// Compares as JSON.
  ///
  /// Numbers are compared by value (`1` equals `1.0`), strings by their scalars, and objects without
  /// regard to the order of their keys. Numbers beyond all Doubles are equal if they are
  /// spelled alike.
  public static func == (lhs: Value, rhs: Value) -> Bool {
    if case .raw(let a) = lhs, case .raw(let b) = rhs, a.bytes == b.bytes { return true }
    let (lhs, rhs) = (lhs.decoded, rhs.decoded)
    if let a = Scalar(lhs), let b = Scalar(rhs) { return a == b }
    switch (lhs, rhs) {
    case (.number(let a), .number(let b)): return a.text.isSame(as: b.text)
    case (.string(let a), .string(let b)): return a.isSame(as: b)
    case (.array(let a), .array(let b)): return a.elements == b.elements
    case (.object(let a), .object(let b)): return a == b
    default: return false
    }
  }
}
