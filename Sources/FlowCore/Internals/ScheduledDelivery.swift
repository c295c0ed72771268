/// Hands an upstream's signals to a downstream on a scheduler, in order and one at a time.
///
/// `schedule` is called with it for each signal. On a concurrent scheduler, too, whoever finds nobody
/// delivering delivers; a signal that comes meanwhile is not lost, which Combine gets wrong.
final class ScheduledDelivery<Downstream: Subscriber>: _ActionLine, Subscriber, Subscription,
  _SelfDescribing
{
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private let schedule: (_ActionLine) -> Void
  // The lock guards these.
  private var downstream: Downstream?
  private var upstream: (any Subscription)?
  private var values = Fifo<Input>()
  /// Goes after the values.
  private var completion: Subscribers.Completion<Failure>?
  /// Signals whose time has come.
  private var due = 0
  private var isDelivering = false
  /// Whether the upstream's subscription has come.
  private var hasStarted = false

  init(
    _ downstream: Downstream,
    schedule: @escaping (_ActionLine) -> Void
  ) {
    self.downstream = downstream
    self.schedule = schedule
  }

  func receive(subscription: any Subscription) {
    let downstream: Downstream? = lock.withLock {
      guard !hasStarted, let downstream = self.downstream else { return nil }
      hasStarted = true
      upstream = subscription
      return downstream
    }
    guard let downstream else { return subscription.cancel() }
    downstream.receive(subscription: self)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    enqueue { values.append(input) }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    enqueue { self.completion = completion }
  }

  func request(_ demand: Subscribers.Demand) {
    lock.withLock { upstream }?.request(demand)  // which traps if it is for nothing
  }

  func cancel() {
    // Nobody has been given it to cancel before there is an upstream.
    guard lock.withLock({ hasStarted }) else { return }
    let (upstream, downstream, values) = end()
    upstream?.cancel()
    values.letGo()
    withExtendedLifetime(downstream) {}
  }

  var description: String { "Delay" }

  /// How many values wait for their time.
  var valueCount: Int {
    lock.withLock { values.count }
  }

  private func end() -> ((any Subscription)?, Downstream?, Fifo<Input>) {
    lock.withLock {
      defer {
        upstream = nil
        downstream = nil
        values = Fifo()
        due = 0
        forgetMoments()
      }
      return (upstream, downstream, values)
    }
  }

  /// Calls `append`, with the lock held, unless it is over.
  private func enqueue(_ append: () -> Void) {
    let isWanted = lock.withLock {
      guard downstream != nil, hasStarted, completion == nil else { return false }
      append()
      return true
    }
    if isWanted { schedule(self) }
  }

  override func isDue() {
    let mayDeliver = lock.withLock {
      due += 1
      guard !isDelivering else { return false }
      isDelivering = true
      return true
    }
    if mayDeliver { deliver() }
  }

  private func deliver() {
    while let (downstream, value) = takeDue() {
      guard let value else {
        let completion = lock.withLock { self.completion }
        _ = end()
        if let completion { downstream.receive(completion: completion) }
        return
      }
      let more = downstream.receive(value)
      if more > 0 { request(more) }
    }
  }

  /// Takes the value that is due; without one it is the completion that is.
  private func takeDue() -> (Downstream, Input?)? {
    lock.withLock {
      guard due > 0, let downstream else {
        isDelivering = false
        return nil
      }
      due -= 1
      return (downstream, values.popFirst())
    }
  }
}
