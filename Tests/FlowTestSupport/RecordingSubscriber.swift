public import FlowCore

/// A subscriber that records all signals and each broken rule, and requests only as much as the test says.
///
/// The rules' numbers are those of `docs/contract.md`. It may be used from any thread.
public final class RecordingSubscriber<Input, Failure: Error>: Subscriber, Cancellable {
  private struct State {
    var values: [Input] = []
    var completions: [Subscribers.Completion<Failure>] = []
    var descriptions: [String] = []
    var violations: [String] = []
    var subscription: (any Subscription)?
    var demand = Subscribers.Demand.none
    var isCancelled = false
    var isReceiving = false
  }

  private let state = Guarded(State())
  private let initial: Subscribers.Demand
  private let onValue: (RecordingSubscriber, Input) -> Subscribers.Demand

  /// Requests `demand` at once, and what `onValue` returns for each value.
  public init(
    _ demand: Subscribers.Demand = .unlimited,
    onValue: @escaping (RecordingSubscriber, Input) -> Subscribers.Demand = { _, _ in .none }
  ) {
    initial = demand
    self.onValue = onValue
  }

  /// The values, in order.
  public var values: [Input] { locked { $0.values } }
  /// The completions; more than one is a broken rule.
  public var completions: [Subscribers.Completion<Failure>] { locked { $0.completions } }
  /// The subscriptions' names.
  public var descriptions: [String] { locked { $0.descriptions } }
  /// The broken rules: the number of each, and what happened.
  public var violations: [String] { locked { $0.violations } }
  /// The current subscription.
  public var subscription: (any Subscription)? { locked { $0.subscription } }

  /// Whether the only completion was `finished`.
  public var isFinished: Bool {
    let completions = completions
    guard completions.count == 1, case .finished? = completions.first else { return false }
    return true
  }

  /// The error, if the only completion was a failure.
  public var failure: Failure? {
    let completions = completions
    guard completions.count == 1, case .failure(let error)? = completions.first else { return nil }
    return error
  }

  /// Requests `demand` more values.
  public func request(_ demand: Subscribers.Demand) {
    let subscription = locked { state in
      state.demand += demand
      return state.subscription
    }
    subscription?.request(demand)
  }

  /// Cancels; a signal after this returns is a broken rule, unless another thread was sending.
  public func cancel() {
    subscription?.cancel()
    locked { $0.isCancelled = true }
  }

  /// Releases the subscription.
  public func release() {
    let old = locked { state in
      defer { state.subscription = nil }
      return state.subscription
    }
    withExtendedLifetime(old) {}
  }

  public func receive(subscription: any Subscription) {
    let isFirst = locked { state in
      state.descriptions.append("\(subscription)")
      guard state.descriptions.count == 1 else {
        state.violations.append("1.9: a second subscription")
        return false
      }
      state.subscription = subscription
      return true
    }
    guard isFirst else { return subscription.cancel() }
    if initial > 0 { request(initial) }
  }

  public func receive(_ input: Input) -> Subscribers.Demand {
    begin { state in
      if state.demand == .none { state.violations.append("1.1: \(input) was not asked for") }
      if state.demand > 0 { state.demand -= 1 }
      if state.isCancelled { state.violations.append("1.8: \(input) after the cancellation") }
      state.values.append(input)
    }
    let more = onValue(self, input)
    locked {
      $0.demand += more
      $0.isReceiving = false
    }
    return more
  }

  public func receive(completion: Subscribers.Completion<Failure>) {
    begin { state in
      if state.isCancelled { state.violations.append("1.8: an end after the cancellation") }
      state.completions.append(completion)
    }
    locked { $0.isReceiving = false }
  }

  private func begin(_ record: (inout State) -> Void) {
    locked { state in
      if state.isReceiving { state.violations.append("1.3: two signals at once") }
      if state.descriptions.isEmpty { state.violations.append("1.9: no subscription before it") }
      if !state.completions.isEmpty { state.violations.append("1.7: a signal after the end") }
      state.isReceiving = true
      record(&state)
    }
  }

  @discardableResult
  private func locked<R>(_ body: (inout State) -> R) -> R { state.withLock(body) }
}

// The lock guards all mutable state.
extension RecordingSubscriber: @unchecked Sendable {}
