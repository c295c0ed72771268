import FlowCore

/// Records what comes, with the second at which it came, and asks for as much as it is told to.
final class Recorder<Input, Failure: Error>: Subscriber {
  private let clock: VirtualTimeScheduler?
  private var subscription: (any Subscription)?
  private let initial: Subscribers.Demand
  private(set) var values: [Input] = []
  private(set) var times: [Double] = []
  private(set) var completions: [Subscribers.Completion<Failure>] = []

  init(_ demand: Subscribers.Demand = .unlimited, clock: VirtualTimeScheduler? = nil) {
    initial = demand
    self.clock = clock
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    if initial > 0 { subscription.request(initial) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    values.append(input)
    if let clock { times.append(Double(clock.now.nanoseconds) / 1e9) }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    completions.append(completion)
    subscription = nil
  }

  func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }
  func cancel() { subscription?.cancel() }

  var isFinished: Bool {
    if case .finished? = completions.first { completions.count == 1 } else { false }
  }

  var failure: Failure? {
    guard completions.count == 1, case .failure(let error)? = completions.first else { return nil }
    return error
  }
}

extension VirtualTimeScheduler {
  /// Runs `action` so many seconds after the beginning.
  func at(_ seconds: Double, _ action: @escaping () -> Void) {
    schedule(after: SchedulerTimeType(nanoseconds: Int64(seconds * 1e9)), action)
  }

  /// Moves on to so many seconds after the beginning.
  func advance(toSecond seconds: Double) {
    advance(to: SchedulerTimeType(nanoseconds: Int64(seconds * 1e9)))
  }
}

struct TestError: Error, Equatable {
  var name: String
  init(_ name: String = "test") { self.name = name }
}
