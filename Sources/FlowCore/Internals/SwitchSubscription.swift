/// The state of one `switchToLatest`, in which a publisher that comes cancels the one before.
@usableFromInline
final class _SwitchSubscription<Child: Publisher, Downstream: Subscriber>:
  _OneChildSubscription<Child, Downstream>, Subscriber
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline typealias Input = Child

  /// How many publishers have come.
  @safe @exclusivity(unchecked) @usableFromInline var switches = 0  // memory 5

  @inlinable @inline(__always)
  override init(_ downstream: Downstream) { super.init(downstream) }

  @usableFromInline
  override var description: String { "SwitchToLatest" }

  @inlinable @inline(__always)
  func receive(_ publisher: Child) -> Subscribers.Demand {
    owner.enter()
    guard !hasEnded, hasUpstream else {
      leave()
      return .none
    }
    switches &+= 1
    let number = switches
    let old = state.child
    state.child = nil
    old?.cancel()
    // The cancellation may have brought a newer publisher, or the end.
    guard switches == number, !hasEnded else {
      leave()
      return .none
    }
    if Child._immediacy != .never, publisher._atMost <= delivery.demand, !delivery.isUnderWay,
      let end = publisher._forEach({ value in
        if hasEnded { return false }
        delivery.takeDemand()
        _ = send(value)
        return !hasEnded && switches == number && state.failure == nil
      })
    {
      if case .failure(let error) = end, switches == number {
        state.failure = state.failure ?? error
      }
      if !state.waiting.isEmpty { _ = sendWaiting() }
      if state.failure != nil || state.isUpstreamDone { settle() }
    } else {
      begin(with: publisher)
    }
    leave()
    return .none
  }
}
