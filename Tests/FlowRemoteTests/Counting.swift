import FlowCore
import FlowRemote
import Synchronization

/// A publisher of given values that notes how much is asked of it ahead of what it has given.
final class Counting: Publisher, Sendable {
  typealias Output = [UInt8]
  typealias Failure = RemoteError

  private struct State {
    var rest: ArraySlice<String>
    var demand = 0
    var isGiving = false
    var mostAsked = 0
    var isCancelled = false
  }

  private let state: Mutex<State>
  private let completion: Subscribers.Completion<RemoteError>

  init(_ values: [String], then completion: Subscribers.Completion<RemoteError> = .finished) {
    state = Mutex(State(rest: values[...]))
    self.completion = completion
  }

  convenience init(upTo last: Int) {
    self.init((1...last).map(String.init))
  }

  var mostAsked: Int { state.withLock { $0.mostAsked } }
  var isCancelled: Bool { state.withLock { $0.isCancelled } }
  /// What was asked for and not given.
  var demand: Int { state.withLock { $0.demand } }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriber.receive(subscription: Inner(source: self, subscriber: subscriber))
  }

  private final class Inner<S: Subscriber>: Subscription
  where S.Input == Output, S.Failure == Failure {
    private let source: Counting
    private let subscriber: S

    init(source: Counting, subscriber: S) {
      self.source = source
      self.subscriber = subscriber
    }

    func request(_ demand: Subscribers.Demand) {
      source.add(demand, subscriber)
    }

    func cancel() {
      source.state.withLock { $0.isCancelled = true }
    }
  }

  private func add<S: Subscriber>(_ demand: Subscribers.Demand, _ subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let gives = state.withLock { state in
      state.demand += demand.max ?? 1_000_000
      state.mostAsked = Swift.max(state.mostAsked, state.demand)
      defer { state.isGiving = true }
      return !state.isGiving
    }
    guard gives else { return }
    while let value = next() { _ = subscriber.receive(Array(value.utf8)) }
    if state.withLock({ $0.rest.isEmpty }) { subscriber.receive(completion: completion) }
  }

  private func next() -> String? {
    state.withLock { state in
      guard state.demand > 0, !state.isCancelled, let value = state.rest.popFirst() else {
        state.isGiving = false
        return nil
      }
      state.demand -= 1
      return value
    }
  }
}
