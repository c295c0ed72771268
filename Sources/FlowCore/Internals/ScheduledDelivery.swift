/// Hands an upstream's signals to a downstream on a scheduler, in order and one at a time.
///
/// `schedule` is called with it for each signal. On a concurrent scheduler, too, whoever finds nobody
/// delivering delivers; a signal that comes meanwhile is not lost, which Combine gets wrong.
@usableFromInline
final class ScheduledDelivery<Downstream: Subscriber>: _ActionLine, Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let schedule: (_ActionLine) -> Void

  // The lock guards this (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline var state: State

  @usableFromInline
  struct State {
    @usableFromInline var upstream: _HeldSubscription?
    @usableFromInline var values = Fifo<Input>()
    /// Signals whose time has come.
    @usableFromInline var due = 0
    @usableFromInline var isDelivering = false
    /// Whether the upstream's subscription has come.
    @usableFromInline var hasStarted = false
    /// Goes after the values.
    @usableFromInline var completion: Subscribers.Completion<Failure>?
    @usableFromInline var downstream: Downstream?

    @inlinable @inline(__always)
    init(_ downstream: Downstream) { self.downstream = downstream }

    @inlinable
    var isOpen: Bool { downstream != nil && hasStarted && completion == nil }
  }

  @inlinable @inline(__always)
  init(_ downstream: Downstream, schedule: @escaping (_ActionLine) -> Void) {
    state = State(downstream)
    self.schedule = schedule
    super.init { line in
      unsafe unsafeDowncast(line, to: ScheduledDelivery<Downstream>.self).signalIsDue()  // memory 7
    } control: { object, count in
      let me = unsafe unsafeDowncast(object, to: ScheduledDelivery<Downstream>.self)  // memory 7
      if count < 0 { me.stop() } else { me.ask(Subscribers.Demand(_count: count)) }
    }
  }

  @usableFromInline
  override var description: String { "Delay" }

  /// The upstream says whether a request for nothing traps.
  @usableFromInline
  override var _takesNone: Bool { true }

  @inlinable
  func receive(subscription: any Subscription) {
    let downstream: Downstream? = lock.withLock {
      guard !state.hasStarted, let downstream = state.downstream else { return nil }
      state.hasStarted = true
      state.upstream = subscription._held
      return downstream
    }
    guard let downstream else { return subscription.cancel() }
    downstream.receive(subscription: self)
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    let isWanted = lock.withLock {
      guard state.isOpen else { return false }
      state.values.append(input)
      return true
    }
    if isWanted { schedule(self) }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    let isWanted = lock.withLock {
      guard state.isOpen else { return false }
      state.completion = completion
      return true
    }
    if isWanted { schedule(self) }
  }

  @inlinable
  func ask(_ demand: Subscribers.Demand) { lock.withLock { state.upstream }?.request(demand) }

  @inlinable
  func stop() {
    // Nobody has been given it to cancel before there is an upstream.
    guard lock.withLock({ state.hasStarted }) else { return }
    let (upstream, downstream, values) = end()
    upstream?.cancel()
    values.letGo()
    withExtendedLifetime(downstream) {}
  }

  /// How many values wait for their time.
  var valueCount: Int { lock.withLock { state.values.count } }

  @inlinable
  func end() -> (_HeldSubscription?, Downstream?, Fifo<Input>) {
    lock.withLock {
      state.due = 0
      forgetMoments()
      return (state.upstream.take(), state.downstream.take(), state.values.takeAll())
    }
  }

  @inlinable
  func signalIsDue() {
    let mayDeliver = lock.withLock {
      state.due += 1
      guard !state.isDelivering else { return false }
      state.isDelivering = true
      return true
    }
    if mayDeliver { deliver() }
  }

  @inlinable
  func deliver() {
    while let (downstream, value) = takeDue() {
      guard let value else {
        let completion = lock.withLock { state.completion }
        _ = end()
        if let completion { downstream.receive(completion: completion) }
        return
      }
      let more = downstream.receive(value)
      if more > 0 { ask(more) }
    }
  }

  /// Takes the value that is due; without one it is the completion that is.
  @inlinable
  func takeDue() -> (Downstream, Input?)? {
    lock.withLock {
      guard state.due > 0, let downstream = state.downstream else {
        state.isDelivering = false
        return nil
      }
      state.due -= 1
      return (downstream, state.values.popFirst())
    }
  }
}
