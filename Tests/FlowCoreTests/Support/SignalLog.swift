import FlowCore
import Foundation

/// A subscriber that keeps what it is sent, and asks only for what it is told to.
final class SignalLog<Input, Failure: Error>: Subscriber, Cancellable {
  enum Event {
    case subscription(String)
    case value(Input)
    case finished
    case failure(Failure)
  }

  private let lock = NSLock()
  private var recorded: [Event] = []
  private var link: (any Subscription)?
  private let initialDemand: Subscribers.Demand
  private let onValue: (SignalLog, Input) -> Subscribers.Demand

  /// Asks for `demand` at the start; `onValue` says how much more after each value.
  init(
    _ demand: Subscribers.Demand = .unlimited,
    onValue: @escaping (SignalLog, Input) -> Subscribers.Demand = { _, _ in .none }
  ) {
    initialDemand = demand
    self.onValue = onValue
  }

  var events: [Event] { locked { recorded } }

  var subscription: (any Subscription)? { locked { link } }

  func request(_ count: Int) { subscription?.request(.max(count)) }

  func cancel() { subscription?.cancel() }

  func receive(subscription: any Subscription) {
    locked {
      recorded.append(.subscription(String(describing: subscription)))
      link = subscription
    }
    if initialDemand > 0 { subscription.request(initialDemand) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    record(.value(input))
    return onValue(self, input)
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: record(.finished)
    case .failure(let error): record(.failure(error))
    }
  }

  private func locked<R>(_ body: () -> R) -> R {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  private func record(_ event: Event) { locked { recorded.append(event) } }
}

extension SignalLog {
  var values: [Input] {
    events.compactMap { if case .value(let value) = $0 { value } else { nil } }
  }

  /// What came, as one line: the subscription's name, values, then `|` or `✕` and the error.
  var line: String {
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
  /// Subscribes a recorder.
  func record(
    _ demand: Subscribers.Demand = .unlimited,
    onValue: @escaping (SignalLog<Output, Failure>, Output) -> Subscribers.Demand = { _, _ in .none
    }
  ) -> SignalLog<Output, Failure> {
    let recorder = SignalLog<Output, Failure>(demand, onValue: onValue)
    subscribe(recorder)
    return recorder
  }

  /// Everything this publisher sends at once, as `SignalLog.line`.
  func line(_ demand: Subscribers.Demand = .unlimited) -> String { record(demand).line }
}

extension Sequence {
  /// A publisher of the elements that hides its type, so that operators are not done at once.
  var stream: AnyPublisher<Element, Never> { publisher.eraseToAnyPublisher() }
}

/// An error that shows as its word.
struct Oops: Error, Equatable, CustomStringConvertible {
  var word = "oops"
  var description: String { word }
}
