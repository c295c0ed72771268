public import Synchronization

/// Sends one value at the first request, then finishes.
@usableFromInline
final class _OneValueSubscription<S: Subscriber>: _ControlSubscription {
  @usableFromInline let value: S.Input
  @exclusivity(unchecked) @usableFromInline var downstream: S?
  @usableFromInline let isOver = Atomic<Bool>(false)

  @inlinable @inline(__always)
  init(_ name: StaticString, _ value: S.Input, _ downstream: S) {
    self.value = value
    self.downstream = downstream
    super.init(name) { object, count in
      let me = unsafeDowncast(object, to: _OneValueSubscription<S>.self)
      // Whoever sets the flag alone may touch the downstream.
      guard !me.isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
      let downstream = me.downstream
      me.downstream = nil
      guard count > 0, let downstream else { return }
      _ = downstream.receive(me.value)
      downstream.receive(completion: .finished)
    }
  }
}
