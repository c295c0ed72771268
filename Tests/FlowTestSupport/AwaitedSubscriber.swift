public import FlowCore
import Synchronization

/// A subscriber that records the values of another thread, and requests only as much as the test says.
public final class AwaitedSubscriber<Input: Sendable, Failure: Error>: Subscriber,
  @unchecked Sendable
{  // guarded by `lock`
  private let lock = Mutex(())
  private var subscription: (any Subscription)?
  private let received = Arrivals<Input>()
  private let end = Arrivals<Subscribers.Completion<Failure>>()
  private let first: Subscribers.Demand
  private let afterEach: Subscribers.Demand

  public init(first: Subscribers.Demand = .none, afterEach: Subscribers.Demand = .none) {
    self.first = first
    self.afterEach = afterEach
  }

  public func receive(subscription: any Subscription) {
    lock.withLock { _ in self.subscription = subscription }
    if first > .none { subscription.request(first) }
  }

  public func receive(_ input: Input) -> Subscribers.Demand {
    received.add(input)
    return afterEach
  }

  public func receive(completion: Subscribers.Completion<Failure>) {
    end.add(completion)
  }

  public var values: [Input] { received.all }
  public var completion: Subscribers.Completion<Failure>? { end.all.first }

  public func request(_ demand: Subscribers.Demand) {
    lock.withLock { _ in subscription }?.request(demand)
  }

  public func cancel() {
    lock.withLock { _ in
      defer { subscription = nil }
      return subscription
    }?.cancel()
  }

  /// Waits for `count` values; returns all values, also after the deadline.
  public func wait(for count: Int) -> [Input] { received.wait(for: count) }

  /// Waits for the completion; returns `nil` after the deadline.
  public func waitForCompletion() -> Subscribers.Completion<Failure>? { end.wait(for: 1).first }

  /// Waits for the completion; returns its error, if it failed.
  public func waitForFailure() -> Failure? {
    if case .failure(let error) = waitForCompletion() { error } else { nil }
  }
}
