/// A link in the chain from a publisher to a subscriber: its subscription above it, and whom it
/// sends to below it.
///
/// The downstream is borrowed for each signal, under a use count; it is let go of at the end, when
/// nobody uses it any more. The first subscription counts, others are cancelled.
@usableFromInline
class LinkSubscription<Downstream: Subscriber>: _ControlSubscription {
  /// Closed at the end.
  @usableFromInline final let uses = UseCount()
  @usableFromInline final let lock = Lock()
  // The lock guards the upstream, the use count the downstream (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline final var upstream: _HeldSubscription?
  /// Whether there has been an upstream.
  ///
  /// Not in one struct with the downstream: who sends something to that borrows it, which the thread
  /// sanitizer takes for a change of the struct.
  @safe @exclusivity(unchecked) @usableFromInline final var wasSubscribed = false
  /// There until the end, and as long as it is used.
  @safe @exclusivity(unchecked) @usableFromInline final var downstream: Downstream?

  @inlinable @inline(__always)
  init(_ downstream: Downstream, _ control: @escaping (_ControlSubscription, Int) -> Void) {
    self.downstream = downstream
    super.init(control)
  }

  /// Keeps the upstream's subscription if it is the first; says whether it did.
  @inlinable
  final func keep(_ subscription: any Subscription) -> Bool {
    lock.withLock {
      guard !wasSubscribed, !uses.isClosed else { return false }
      wasSubscribed = true
      upstream = subscription._held
      return true
    }
  }

  /// Gives the downstream this subscription, after keeping the upstream's.
  @inlinable
  final func introduce(with subscription: any Subscription) {
    guard keep(subscription), uses.begin() else { return subscription.cancel() }
    withBorrowed(&downstream) { $0.receive(subscription: self) }
    endUse()
  }

  /// Asks the upstream, if there is one.
  @inlinable
  final func askUpstream(_ demand: Subscribers.Demand) {
    lock.withLock { upstream }?.request(demand)
  }

  /// Sends a value; from inside a use.
  @inlinable @inline(__always)
  final func send(_ output: Downstream.Input) -> Subscribers.Demand {
    Subscribers.Demand(_count: withBorrowed(&downstream) { $0.receive(output) })
  }

  /// Cancels the upstream, if that has not ended, and sends the end; from inside a use.
  @inlinable
  final func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
    guard uses.close().isFirst else { return }
    takeUpstream()?.cancel()
    withBorrowed(&downstream) { $0.receive(completion: completion) }
  }

  /// Sends the end, which the upstream has come to.
  @inlinable
  final func pass(_ completion: Subscribers.Completion<Downstream.Failure>) {
    guard uses.begin() else { return }
    _ = takeUpstream()
    finish(completion)
    endUse()
  }

  /// Ends it, once, and cancels the upstream.
  @inlinable
  final func close() {
    let (isFirst, mustRelease) = uses.close()
    if isFirst { takeUpstream()?.cancel() }
    if mustRelease { release() }
  }

  @inlinable
  final var hasStarted: Bool { lock.withLock { wasSubscribed } }

  @inlinable @inline(__always)
  final func endUse() { if uses.end() { release() } }

  /// Lets go of the downstream, which nobody uses any more.
  @usableFromInline
  func release() { downstream = nil }

  @inlinable
  final func takeUpstream() -> _HeldSubscription? { lock.withLock { upstream.take() } }
}
