import Dispatch
import FlowCore
import FlowRemote
import Synchronization

/// A subscriber that keeps what it gets, and asks only for what a test says.
final class Recorder: Subscriber, @unchecked Sendable {  // guarded by `lock`
  typealias Input = [UInt8]
  typealias Failure = RemoteError

  private let lock = Mutex(())
  private var subscription: (any Subscription)?
  private var received: [String] = []
  private var end: Subscribers.Completion<RemoteError>?
  private let first: Subscribers.Demand
  private let afterEach: Subscribers.Demand
  private let changed = DispatchSemaphore(value: 0)

  init(first: Subscribers.Demand = .none, afterEach: Subscribers.Demand = .none) {
    self.first = first
    self.afterEach = afterEach
  }

  func receive(subscription: any Subscription) {
    lock.withLock { _ in self.subscription = subscription }
    if first > .none { subscription.request(first) }
  }

  func receive(_ input: [UInt8]) -> Subscribers.Demand {
    lock.withLock { _ in received.append(String(decoding: input, as: UTF8.self)) }
    changed.signal()
    return afterEach
  }

  func receive(completion: Subscribers.Completion<RemoteError>) {
    lock.withLock { _ in end = completion }
    changed.signal()
  }

  var values: [String] { lock.withLock { _ in received } }
  var completion: Subscribers.Completion<RemoteError>? { lock.withLock { _ in end } }

  func request(_ demand: Subscribers.Demand) {
    lock.withLock { _ in subscription }?.request(demand)
  }

  func cancel() {
    lock.withLock { _ in subscription }?.cancel()
  }

  /// Waits until `count` values have come, at most ten seconds.
  func wait(for count: Int) -> [String] {
    wait { self.values.count >= count }
    return values
  }

  /// Waits for the completion, at most ten seconds.
  func waitForCompletion() -> Subscribers.Completion<RemoteError>? {
    wait { self.completion != nil }
    return completion
  }

  private func wait(until isDone: () -> Bool) {
    let deadline = DispatchTime.now() + .seconds(10)
    while !isDone(), changed.wait(timeout: deadline) == .success {}
  }
}

/// Waits for one value that another thread brings, at most ten seconds.
final class Promise<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let kept = DispatchSemaphore(value: 0)

  func keep(_ value: Value) {
    self.value.withLock { $0 = value }
    kept.signal()
  }

  func wait() -> Value? {
    _ = kept.wait(timeout: .now() + .seconds(10))
    return value.withLock { $0 }
  }
}
