// To go along a key path costs 25 to 150 ns: the runtime looks at each step of it. The optimiser makes
// the access itself of a key path that it sees. So a closure is made of it where it is written, which
// has to be inlined there: a key path that a closure captures is a constant to the optimiser if that is
// its only use. Who wants to see the key path as well gets it from that closure, which as a constant
// may be used by others.

/// Returns `keyPath`, which is used nowhere else.
@inlinable @inline(__always)
func _path<Path: AnyKeyPath>(_ keyPath: Path) -> () -> Path { { keyPath } }

/// Reads what a key path leads to.
@inlinable @inline(__always)
func _getter<Root, Value>(_ path: @escaping () -> KeyPath<Root, Value>) -> (Root) -> Value {
  { $0[keyPath: path()] }
}

/// Reads what two key paths lead to.
@inlinable @inline(__always)
func _getter<Root, A, B>(
  _ a: @escaping () -> KeyPath<Root, A>,
  _ b: @escaping () -> KeyPath<Root, B>
) -> (Root) -> (A, B) {
  { ($0[keyPath: a()], $0[keyPath: b()]) }
}

/// Reads what three key paths lead to.
@inlinable @inline(__always)
func _getter<Root, A, B, C>(
  _ a: @escaping () -> KeyPath<Root, A>,
  _ b: @escaping () -> KeyPath<Root, B>,
  _ c: @escaping () -> KeyPath<Root, C>
) -> (Root) -> (A, B, C) {
  { ($0[keyPath: a()], $0[keyPath: b()], $0[keyPath: c()]) }
}

/// Writes to what a key path leads to.
@inlinable @inline(__always)
func _setter<Root, Value>(
  _ path: @escaping () -> ReferenceWritableKeyPath<Root, Value>
) -> (Root, Value) -> Void {
  { $0[keyPath: path()] = $1 }
}
