/// What is told of each signal that passes.
@usableFromInline
protocol SignalTap<Output, Failure> {
  associatedtype Output
  associatedtype Failure: Error

  func receive(subscription: any Subscription)
  func receive(_ output: Output)
  func receive(completion: Subscribers.Completion<Failure>)
  /// `isReturned` tells demand that comes back with a value from demand asked for by a call.
  func request(_ demand: Subscribers.Demand, isReturned: Bool)
  func cancel()
}

/// Tells a tap of each signal, before it passes it on unchanged.
@usableFromInline
@safe
final class TapSubscriber<Tap: SignalTap, Downstream: Subscriber>: _ControlSubscription, Subscriber
where Tap.Output == Downstream.Input, Tap.Failure == Downstream.Failure {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let name: String
  /// Closed at the end.
  @usableFromInline let uses = UseCount()
  // The use count guards these (memory 5): they are there until the end, and as long as they are
  // used; two by an address of their own, as several threads may use them at once.
  @safe @exclusivity(unchecked) @usableFromInline var upstream = Upstream()
  @usableFromInline let downstream = UnsafeMutablePointer<Downstream>.allocate(capacity: 1)
  @usableFromInline let tap = UnsafeMutablePointer<Tap>.allocate(capacity: 1)

  @inlinable @inline(__always)
  init(_ name: String, _ downstream: Downstream, _ tap: Tap) {
    self.name = name
    unsafe self.downstream.initialize(to: downstream)
    unsafe self.tap.initialize(to: tap)
    super.init { object, count in
      let me = unsafe unsafeDowncast(object, to: TapSubscriber.self)  // memory 7
      if count < 0 { me.stop() } else { me.ask(Subscribers.Demand(_count: count)) }
    }
  }

  @usableFromInline
  override var description: String { name }

  /// It passes it on.
  @usableFromInline
  override var _takesNone: Bool { true }

  deinit {
    if uses.close().mustRelease { release() }
    unsafe downstream.deallocate()
    unsafe tap.deallocate()
  }

  @inlinable
  func receive(subscription: any Subscription) {
    guard uses.begin() else { return subscription.cancel() }
    defer { endUse() }
    let isFirst = uses.takeFirst()
    if isFirst {
      upstream.keep(subscription)
      _ = uses.publishUpstream()  // a cancellation before this does not count
    }
    unsafe withBorrowed(tap) { $0.value.receive(subscription: subscription) }
    guard isFirst else { return subscription.cancel() }
    unsafe withBorrowed(downstream) { $0.receive(subscription: self) }
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard uses.begin() else { return .none }
    defer { endUse() }
    unsafe withBorrowed(tap) { $0.value.receive(input) }
    let more = unsafe Subscribers.Demand(_count: withBorrowed(downstream) { $0.receive(input) })
    if more > 0 { unsafe withBorrowed(tap) { $0.value.request(more, isReturned: true) } }
    return more
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    guard uses.begin() else { return }
    defer { endUse() }
    guard uses.close().isFirst else { return }
    _ = uses.endUpstream()
    unsafe withBorrowed(tap) { $0.value.receive(completion: completion) }
    unsafe withBorrowed(downstream) { $0.receive(completion: completion) }
  }

  @inlinable
  func ask(_ demand: Subscribers.Demand) {
    guard uses.begin() else { return }
    defer { endUse() }
    unsafe withBorrowed(tap) { $0.value.request(demand, isReturned: false) }
    if uses.hasUpstream { upstream.request(demand) }  // which traps if it is for nothing
  }

  @inlinable
  func stop() {
    guard uses.begin() else { return }
    defer { endUse() }
    // Nobody has been given it to cancel before there is an upstream.
    if uses.hasUpstream, !uses.close().isFirst { return }
    unsafe withBorrowed(tap) { $0.value.cancel() }
    if uses.endUpstream() { upstream.cancel() }
  }

  @inlinable @inline(__always)
  func endUse() { if uses.end() { release() } }

  @inlinable
  func release() {
    let old = upstream.take()
    unsafe downstream.deinitialize(count: 1)
    unsafe tap.deinitialize(count: 1)
    withExtendedLifetime(old) {}
  }
}
