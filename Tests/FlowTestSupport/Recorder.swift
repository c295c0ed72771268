public import FlowCore

/// A subscriber that records the values with their times in seconds, and requests only as much as the test says.
public final class Recorder<Input, Failure: Error>: Subscriber {
  private let clock: VirtualTimeScheduler?
  private var subscription: (any Subscription)?
  private let initial: Subscribers.Demand
  public private(set) var values: [Input] = []
  public private(set) var times: [Double] = []
  public private(set) var completions: [Subscribers.Completion<Failure>] = []

  public init(_ demand: Subscribers.Demand = .unlimited, clock: VirtualTimeScheduler? = nil) {
    initial = demand
    self.clock = clock
  }

  public func receive(subscription: any Subscription) {
    self.subscription = subscription
    if initial > 0 { subscription.request(initial) }
  }

  public func receive(_ input: Input) -> Subscribers.Demand {
    values.append(input)
    if let clock { times.append(Double(clock.now.nanoseconds) / 1e9) }
    return .none
  }

  public func receive(completion: Subscribers.Completion<Failure>) {
    completions.append(completion)
    subscription = nil
  }

  public func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }
  public func cancel() { subscription?.cancel() }

  /// Whether the only completion was `finished`.
  public var isFinished: Bool {
    if case .finished? = completions.first { completions.count == 1 } else { false }
  }

  /// The error, if the only completion was a failure.
  public var failure: Failure? {
    guard completions.count == 1, case .failure(let error)? = completions.first else { return nil }
    return error
  }
}

extension VirtualTimeScheduler {
  /// Runs `action` at `seconds` since the beginning.
  public func at(_ seconds: Double, _ action: @escaping () -> Void) {
    schedule(after: SchedulerTimeType(nanoseconds: Int64(seconds * 1e9)), action)
  }

  /// Advances the time to `seconds` since the beginning.
  public func advance(toSecond seconds: Double) {
    advance(to: SchedulerTimeType(nanoseconds: Int64(seconds * 1e9)))
  }
}

/// An error for tests.
public struct TestError: Error, Equatable {
  public var name: String
  public init(_ name: String = "test") { self.name = name }
}
