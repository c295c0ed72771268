import FlowCore
import FlowRemote
import Synchronization

/// A publisher of given values that notes how much is asked of it ahead of what it has given.
final class Counting: Sendable {
  private struct State {
    var rest: ArraySlice<String>
    var demand = 0
    var isGiving = false
    var mostAsked = 0
    var isCancelled = false
  }

  private let state: Mutex<State>

  init(_ values: [String]) {
    state = Mutex(State(rest: values[...]))
  }

  convenience init(upTo last: Int) {
    self.init((1...last).map(String.init))
  }

  var mostAsked: Int { state.withLock { $0.mostAsked } }
  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func subscribe(_ subscriber: RemoteSubscriber) {
    subscriber.receive(subscription: Inner(source: self, subscriber: subscriber))
  }

  private final class Inner: Subscription {
    private let source: Counting
    private let subscriber: RemoteSubscriber

    init(source: Counting, subscriber: RemoteSubscriber) {
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

  private func add(_ demand: Subscribers.Demand, _ subscriber: RemoteSubscriber) {
    let gives = state.withLock { state in
      state.demand += demand.max ?? 1_000_000
      state.mostAsked = max(state.mostAsked, state.demand)
      defer { state.isGiving = true }
      return !state.isGiving
    }
    guard gives else { return }
    while let value = next() { _ = subscriber.receive(Array(value.utf8)) }
    if state.withLock({ $0.rest.isEmpty }) { subscriber.receive(completion: .finished) }
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
