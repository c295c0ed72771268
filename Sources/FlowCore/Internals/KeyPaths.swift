// To go along a key path costs 25 to 150 ns: the runtime looks at each step of it. The optimiser makes
// the access itself of a key path that it sees, so a closure is made of it where it is written:
// inlined there, the key path is a constant that the closure captures, and nothing is left of it but
// the property. It does so only for a key path with a single use. Operators therefore take theirs as
// an autoclosure, which writes it down once for the closure and once for who wants to see it.

/// Reads what `keyPath` leads to.
@inlinable @inline(__always)
func _getter<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> (Root) -> Value {
  { $0[keyPath: keyPath] }
}

/// Reads what two key paths lead to.
@inlinable @inline(__always)
func _getter<Root, A, B>(
  _ a: KeyPath<Root, A>,
  _ b: KeyPath<Root, B>
) -> (Root) -> (A, B) {
  { ($0[keyPath: a], $0[keyPath: b]) }
}

/// Reads what three key paths lead to.
@inlinable @inline(__always)
func _getter<Root, A, B, C>(
  _ a: KeyPath<Root, A>,
  _ b: KeyPath<Root, B>,
  _ c: KeyPath<Root, C>
) -> (Root) -> (A, B, C) {
  { ($0[keyPath: a], $0[keyPath: b], $0[keyPath: c]) }
}

/// Writes to what `keyPath` leads to.
@inlinable @inline(__always)
func _setter<Root, Value>(
  _ keyPath: ReferenceWritableKeyPath<Root, Value>
) -> (Root, Value) -> Void {
  { $0[keyPath: keyPath] = $1 }
}
