/// Hands an upstream's signals to a downstream on a scheduler, in order and one at a time.
///
/// `schedule` is called for each signal. On a concurrent scheduler, too, whoever finds nobody
/// delivering delivers; a signal that comes meanwhile is not lost, which Combine gets wrong.
final class ScheduledDelivery<Downstream: Subscriber>: Subscriber, Subscription {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private enum Signal {
    case value(Input)
    case completion(Subscribers.Completion<Failure>)
  }

  private let schedule: (@escaping () -> Void) -> Void
  private let lock = Lock()
  private var downstream: Downstream?
  private var upstream: (any Subscription)?
  private var signals = _Queue<Signal>()
  /// Signals whose time has come.
  private var due = 0
  private var isDelivering = false
  /// Whether the upstream's subscription has come, and whether its completion has.
  private var (hasStarted, isCompleted) = (false, false)

  init(
    _ downstream: Downstream,
    schedule: @escaping (@escaping () -> Void) -> Void
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
    enqueue(.value(input))
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    enqueue(.completion(completion))
  }

  func request(_ demand: Subscribers.Demand) {
    lock.withLock { upstream }?.request(demand)  // which traps if it is for nothing
  }

  func cancel() {
    // Nobody has been given it to cancel before there is an upstream.
    guard lock.withLock({ hasStarted }) else { return }
    let (upstream, downstream, signals) = end()
    upstream?.cancel()
    withExtendedLifetime((downstream, signals)) {}
  }

  /// How many values wait for their time.
  var valueCount: Int {
    lock.withLock { max(0, signals.count - (isCompleted ? 1 : 0)) }
  }

  private func end() -> ((any Subscription)?, Downstream?, _Queue<Signal>) {
    lock.withLock {
      defer {
        upstream = nil
        downstream = nil
        signals = _Queue()
        due = 0
      }
      return (upstream, downstream, signals)
    }
  }

  private func enqueue(_ signal: Signal) {
    let isWanted = lock.withLock {
      guard downstream != nil, hasStarted, !isCompleted else { return false }
      if case .completion = signal { isCompleted = true }
      signals.append(signal)
      return true
    }
    if isWanted { schedule { self.signalIsDue() } }
  }

  private func signalIsDue() {
    let mayDeliver = lock.withLock {
      due += 1
      guard !isDelivering else { return false }
      isDelivering = true
      return true
    }
    if mayDeliver { deliver() }
  }

  private func deliver() {
    while true {
      let next: (Signal, Downstream)? = lock.withLock {
        guard due > 0, let downstream, let signal = signals.popFirst() else {
          isDelivering = false
          return nil
        }
        due -= 1
        return (signal, downstream)
      }
      switch next {
      case nil: return
      case (.value(let value), let downstream)?:
        let more = downstream.receive(value)
        if more > 0 { request(more) }
      case (.completion(let completion), let downstream)?:
        _ = end()
        downstream.receive(completion: completion)
      }
    }
  }
}
