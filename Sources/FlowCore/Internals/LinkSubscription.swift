/// A link in the chain from a publisher to a subscriber: its subscription above it, and whom it
/// sends to below it.
///
/// Both are called where they lie, under a use count, and let go of at the end, when nobody calls
/// them any more. The first subscription counts, others are cancelled.
@usableFromInline
class LinkSubscription<Downstream: Subscriber>: _ControlSubscription {
  /// Closed at the end.
  @usableFromInline final let uses = UseCount()
  // The use count guards these (memory 5), each apart: who sends something borrows the downstream,
  // which the thread sanitizer takes for a change.
  @safe @exclusivity(unchecked) @usableFromInline final var upstream = Upstream()
  @safe @exclusivity(unchecked) @usableFromInline final var downstream: Downstream?
  @usableFromInline final let overlapCheck = OverlapCheck()

  @inlinable @inline(__always)
  init(_ downstream: Downstream, _ control: @escaping (_ControlSubscription, Int) -> Void) {
    self.downstream = downstream
    super.init(control)
  }

  /// Keeps the upstream's subscription if it is the first; says whether it did.
  @inlinable
  final func keep(_ subscription: any Subscription) -> Bool {
    guard uses.begin() else { return false }
    defer { endUse() }
    guard uses.takeFirst() else { return false }
    upstream.keep(subscription)
    return uses.publishUpstream()
  }

  /// Gives the downstream this subscription, after keeping the upstream's; says whether it did.
  @inlinable
  @discardableResult
  final func introduce(with subscription: any Subscription) -> Bool {
    guard keep(subscription), uses.begin() else {
      subscription.cancel()
      return false
    }
    withBorrowed(&downstream) { $0.receive(subscription: self) }
    endUse()
    return true
  }

  /// Asks the upstream, if there is one.
  @inlinable @inline(__always)
  final func askUpstream(_ demand: Subscribers.Demand) {
    guard uses.begin() else { return }
    if uses.hasUpstream { upstream.request(demand) }
    endUse()
  }

  /// Cancels the upstream, if there is one that has not ended; from inside a use.
  @inlinable
  final func cancelUpstream() {
    if uses.endUpstream() { upstream.cancel() }
  }

  /// Sends a value; from inside a use.
  @inlinable @inline(__always)
  final func send(_ output: Downstream.Input) -> Subscribers.Demand {
    withDownstream { Subscribers.Demand(_count: $0.receive(output)) }
  }

  @inlinable @inline(__always)
  final func withDownstream<R>(_ send: (borrowing _Borrowed<Downstream>) -> R) -> R {
    overlapCheck.during { withBorrowed(&downstream, send) }
  }

  /// Cancels the upstream, if that has not ended, and sends the end; from inside a use.
  @inlinable
  final func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
    guard uses.close().isFirst else { return }
    cancelUpstream()
    withDownstream { $0.receive(completion: completion) }
  }

  /// Sends the end, which the upstream has come to.
  @inlinable
  final func pass(_ completion: Subscribers.Completion<Downstream.Failure>) {
    guard uses.begin() else { return }
    _ = uses.endUpstream()
    finish(completion)
    endUse()
  }

  /// Ends it, once, and cancels the upstream.
  @inlinable
  final func close() {
    guard uses.begin() else { return }
    if uses.close().isFirst { cancelUpstream() }
    endUse()
  }

  @inlinable @inline(__always)
  final func endUse() { if uses.end() { release() } }

  /// Lets go of the upstream and the downstream, which nobody uses any more.
  @usableFromInline
  func release() {
    let old = upstream.take()
    downstream = nil
    withExtendedLifetime(old) {}
  }
}
