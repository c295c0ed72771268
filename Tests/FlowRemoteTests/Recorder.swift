import Dispatch
import FlowCore
import FlowRemote
import Synchronization

/// A subscriber that keeps what it gets, and asks only for what a test says.
final class Recorder<Input: Sendable>: Subscriber, @unchecked Sendable {  // guarded by `lock`
  typealias Failure = RemoteError

  private let lock = Mutex(())
  private var subscription: (any Subscription)?
  private let received = Arrivals<Input>()
  private let end = Arrivals<Subscribers.Completion<RemoteError>>()
  private let first: Subscribers.Demand
  private let afterEach: Subscribers.Demand

  init(first: Subscribers.Demand = .none, afterEach: Subscribers.Demand = .none) {
    self.first = first
    self.afterEach = afterEach
  }

  func receive(subscription: any Subscription) {
    lock.withLock { _ in self.subscription = subscription }
    if first > .none { subscription.request(first) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    received.add(input)
    return afterEach
  }

  func receive(completion: Subscribers.Completion<RemoteError>) {
    end.add(completion)
  }

  var values: [Input] { received.all }
  var completion: Subscribers.Completion<RemoteError>? { end.all.first }

  func request(_ demand: Subscribers.Demand) {
    lock.withLock { _ in subscription }?.request(demand)
  }

  func cancel() {
    lock.withLock { _ in
      defer { subscription = nil }
      return subscription
    }?.cancel()
  }

  /// Waits until `count` values have come, at most ten seconds.
  func wait(for count: Int) -> [Input] { received.wait(for: count) }

  /// Waits for the completion, at most ten seconds.
  func waitForCompletion() -> Subscribers.Completion<RemoteError>? { end.wait(for: 1).first }

  /// Waits for a failure, at most ten seconds.
  func waitForFailure() -> RemoteError? {
    if case .failure(let error) = waitForCompletion() { error } else { nil }
  }
}

extension Recorder where Input == [UInt8] {
  var texts: [String] { values.map { String(decoding: $0, as: UTF8.self) } }

  func waitForTexts(_ count: Int) -> [String] {
    wait(for: count).map { String(decoding: $0, as: UTF8.self) }
  }
}
