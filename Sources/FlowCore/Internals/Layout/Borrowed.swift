/// What is borrowed, not copied, for a call.
///
/// A copy of a subscriber costs reference counting for each of its closures, more than all the rest. A
/// struct of one field lies as its field does, and an optional as what it wraps, behind which there
/// may be a flag: that is what is counted on here, and what `LayoutTests` holds the compiler to.
@frozen
@usableFromInline
struct _Borrowed<Value>: ~Copyable {
  @usableFromInline let value: Value
}

extension _Borrowed where Value: Subscriber {
  @inlinable @inline(__always)
  borrowing func receive(_ input: Value.Input) -> Int { value.receive(input)._count }

  @inlinable @inline(__always)
  borrowing func receive(subscription: any Subscription) {
    value.receive(subscription: subscription)
  }

  @inlinable @inline(__always)
  borrowing func receive(completion: Subscribers.Completion<Value.Failure>) {
    value.receive(completion: completion)
  }
}

/// Borrows what is there, and what nobody replaces meanwhile (memory 5).
@inlinable @inline(__always)
func withBorrowed<Value, R>(
  _ value: inout Value?,
  _ body: (borrowing _Borrowed<Value>) -> R
) -> R {
  unsafe withUnsafeMutablePointer(to: &value) {
    // memory 7: what an optional wraps lies at its beginning.
    unsafe withBorrowed(UnsafeMutableRawPointer($0).assumingMemoryBound(to: Value.self), body)
  }
}

/// Borrows what is at an address, where it stays meanwhile.
@inlinable @inline(__always)
func withBorrowed<Value, R>(
  _ value: UnsafeMutablePointer<Value>,
  _ body: (borrowing _Borrowed<Value>) -> R
) -> R {
  unsafe body(
    UnsafeMutableRawPointer(value).assumingMemoryBound(to: _Borrowed<Value>.self).pointee
  )
}

/// Sends a value to a subscriber that stays where it is meanwhile (memory 5); returns its demand.
@inlinable @inline(__always)
package func sendBorrowed<S: Subscriber>(
  _ input: S.Input,
  to subscriber: inout S
) -> Subscribers.Demand {
  unsafe withUnsafeMutablePointer(to: &subscriber) {
    unsafe Subscribers.Demand(_count: withBorrowed($0) { $0.receive(input) })
  }
}
