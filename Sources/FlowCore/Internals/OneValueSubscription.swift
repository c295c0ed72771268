public import Synchronization

/// Sends one value at the first request, then finishes.
@usableFromInline
final class _OneValueSubscription<S: Subscriber>: _ControlSubscription {
  @frozen
  @usableFromInline
  enum State: UInt8, AtomicRepresentable {
    case waiting, sending, over
  }

  @usableFromInline let name: StaticString
  @usableFromInline let value: S.Input
  /// Belongs to whoever ends the waiting.
  @safe @exclusivity(unchecked) @usableFromInline var downstream: S?  // memory 5
  @usableFromInline let state = Atomic(State.waiting)

  @inlinable @inline(__always)
  init(_ name: StaticString, _ value: S.Input, _ downstream: S) {
    self.name = name
    self.value = value
    self.downstream = downstream
    super.init { object, count in
      // memory 7
      let me = unsafe unsafeDowncast(object, to: _OneValueSubscription<S>.self)
      if count > 0 { me.send() } else { me.end() }
    }
  }

  @usableFromInline
  override var description: String { name.description }

  @usableFromInline
  override var _children: [Mirror.Child] { [(nil, value)] }

  @inlinable
  func send() {
    let (isFirst, _) = state.compareExchange(
      expected: .waiting,
      desired: .sending,
      ordering: .acquiringAndReleasing
    )
    guard isFirst, let downstream else { return }
    self.downstream = nil
    _ = downstream.receive(value)
    let isCancelled = state.exchange(.over, ordering: .acquiringAndReleasing) == .over
    if !isCancelled { downstream.receive(completion: .finished) }
  }

  @inlinable
  func end() {
    let old = state.exchange(.over, ordering: .acquiringAndReleasing)
    if old == .waiting { downstream = nil }
  }
}
