public import FlowCore

/// A subscriber that records all signals, and requests only as much as the test says.
public final class SignalLog<Input, Failure: Error>: Subscriber, Cancellable {
  public enum Event {
    case subscription(String)
    case value(Input)
    case finished
    case failure(Failure)
  }

  private struct State {
    var events: [Event] = []
    var subscription: (any Subscription)?
  }

  private let state = Guarded(State())
  private let initialDemand: Subscribers.Demand
  private let onValue: (SignalLog, Input) -> Subscribers.Demand

  /// Requests `demand` at the start, and what `onValue` returns after each value.
  public init(
    _ demand: Subscribers.Demand = .unlimited,
    onValue: @escaping (SignalLog, Input) -> Subscribers.Demand = { _, _ in .none }
  ) {
    initialDemand = demand
    self.onValue = onValue
  }

  public var events: [Event] { state.withLock { $0.events } }

  public var subscription: (any Subscription)? { state.withLock { $0.subscription } }

  public func request(_ count: Int) { subscription?.request(.max(count)) }

  public func cancel() { subscription?.cancel() }

  public func receive(subscription: any Subscription) {
    state.withLock { state in
      state.events.append(.subscription(String(describing: subscription)))
      state.subscription = subscription
    }
    if initialDemand > 0 { subscription.request(initialDemand) }
  }

  public func receive(_ input: Input) -> Subscribers.Demand {
    record(.value(input))
    return onValue(self, input)
  }

  public func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: record(.finished)
    case .failure(let error): record(.failure(error))
    }
  }

  private func record(_ event: Event) { state.withLock { $0.events.append(event) } }
}

extension SignalLog {
  public var values: [Input] {
    events.compactMap { if case .value(let value) = $0 { value } else { nil } }
  }

  /// All signals in one line: the subscription's name, the values, then `|` or `✕` and the error.
  public var line: String {
    events.map { event in
      switch event {
      case .subscription(let name): name
      case .value(let value): "\(value)"
      case .finished: "|"
      case .failure(let error): "✕\(error)"
      }
    }
    .joined(separator: " ")
  }
}

extension Publisher {
  /// Subscribes a new `SignalLog`.
  public func record(
    _ demand: Subscribers.Demand = .unlimited,
    onValue: @escaping (SignalLog<Output, Failure>, Output) -> Subscribers.Demand = { _, _ in .none
    }
  ) -> SignalLog<Output, Failure> {
    let recorder = SignalLog<Output, Failure>(demand, onValue: onValue)
    subscribe(recorder)
    return recorder
  }

  /// Subscribes, and returns the signals that came at once, as `SignalLog.line`.
  public func line(_ demand: Subscribers.Demand = .unlimited) -> String { record(demand).line }
}

extension Sequence {
  /// A publisher of the elements whose hidden type keeps operators from computing their result at once.
  public var stream: AnyPublisher<Element, Never> { publisher.eraseToAnyPublisher() }
}

/// An error whose description is its word.
public struct Oops: Error, Equatable, CustomStringConvertible {
  public let word: String
  public var description: String { word }
  public init(word: String = "oops") { self.word = word }
}
