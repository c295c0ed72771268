public import FlowCore
import Synchronization

/// A subject, pipeline or expression of a server as a publisher of payloads.
///
/// Demand crosses the wire: nothing is asked of the server that the subscriber did not ask for.
/// Values are delivered on the connection's queue.
public struct RemotePublisher: Publisher, Sendable {
  public typealias Output = [UInt8]
  public typealias Failure = RemoteError

  let remote: Remote
  let expression: String

  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let inner = Inner(subscriber)
    let subscription = remote.makeSubscription(expression, handler: inner)
    inner.begin(subscription)
  }
}

extension RemotePublisher {
  /// Between the stream and the subscriber; signals come from the connection's queue only.
  // Safe to share: `downstream` is used in `begin` and after that on the queue, the rest is atomic
  // or constant from `begin` on.
  private final class Inner<Downstream: Subscriber>: Subscription, RemoteSubscriptionHandler,
    @unchecked Sendable
  where Downstream.Input == [UInt8], Downstream.Failure == RemoteError {
    private let downstream: Downstream
    private let isCancelled = Atomic(false)
    private let state = Mutex(State.collecting(.none))

    private enum State {
      /// Not open yet; what is asked for goes with the opening.
      case collecting(Subscribers.Demand)
      case open(RemoteSubscription)
      case ended
    }

    init(_ downstream: Downstream) { self.downstream = downstream }

    func begin(_ subscription: RemoteSubscription) {
      downstream.receive(subscription: self)
      let first: Subscribers.Demand? = state.withLock {
        guard case .collecting(let demand) = $0 else { return nil }
        $0 = .open(subscription)
        return demand
      }
      if let first { subscription.open(first) }
    }

    func request(_ demand: Subscribers.Demand) {
      precondition(demand > .none, "demand is 0, expected 1 or more")
      let open: RemoteSubscription? = state.withLock {
        switch $0 {
        case .collecting(let before):
          $0 = .collecting(before + demand)
          return nil
        case .open(let subscription): return subscription
        case .ended: return nil
        }
      }
      open?.request(demand)
    }

    func cancel() {
      isCancelled.store(true, ordering: .releasing)
      let open: RemoteSubscription? = state.withLock { state in
        defer { state = .ended }
        guard case .open(let subscription) = state else { return nil }
        return subscription
      }
      open?.cancel()
    }

    func subscription(_ s: RemoteSubscription, received payload: UnsafeRawBufferPointer) {
      guard !isCancelled.load(ordering: .acquiring) else { return }
      let more = downstream.receive([UInt8](payload))
      if more > .none { s.request(more) }
    }

    func subscriptionPassedValues(_ s: RemoteSubscription) {}

    func subscription(_ s: RemoteSubscription, missed count: UInt64, reason: String) {}

    func subscription(_ s: RemoteSubscription, ended error: RemoteError?) {
      let wasOpen = state.withLock { state in
        defer { state = .ended }
        if case .open = state { return true }
        return false
      }
      guard wasOpen else { return }
      downstream.receive(completion: error.map { .failure($0) } ?? .finished)
    }
  }
}
