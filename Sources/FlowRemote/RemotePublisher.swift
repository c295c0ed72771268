public import FlowCore
import Synchronization

extension FlowRemote {
  /// The values of a subject, a pipeline or an expression, as bytes.
  ///
  /// Every subscriber opens a stream of its own, and its demand goes to the server. An expression
  /// of several lines is joined by blanks; a string must not contain a line break.
  public func publisher(_ expression: String) -> RemotePublisher<[UInt8]> {
    unsafe RemotePublisher(remote: self, expression: expression) { unsafe [UInt8]($0) }
  }
}

/// A subject, pipeline or expression of a server as a publisher.
///
/// Demand crosses the network: the server is asked only for what the subscriber requests. Requests
/// leave at once, those of one turn of the connection's queue together. Values are delivered on
/// that queue. A payload that cannot be decoded cancels the stream and fails it with
/// `RemoteError.undecodable`.
@safe  // memory 8
public struct RemotePublisher<Output>: Publisher, Sendable {
  public typealias Failure = RemoteError

  let remote: FlowRemote
  let expression: String
  let decode: @Sendable (UnsafeRawBufferPointer) throws(RemoteError) -> Output
  private(set) var durable: Durable?
  private(set) var missed: (@Sendable (_ count: UInt64, _ reason: String) -> Void)?
  private(set) var freeFlow: (@Sendable () -> Void)?

  init(
    remote: FlowRemote,
    expression: String,
    decode: @escaping @Sendable (UnsafeRawBufferPointer) throws(RemoteError) -> Output
  ) {
    self.remote = remote
    self.expression = expression
    unsafe self.decode = unsafe decode
  }

  /// Returns the publisher with a closure that is called for missed values.
  ///
  /// Before the next value, the server reports how many were missed and why, by a word of the
  /// protocol such as `no-demand` or `buffer-oldest`.
  public func handleMisses(
    _ missed: @escaping @Sendable (_ count: UInt64, _ reason: String) -> Void
  ) -> Self {
    var copy = self
    copy.missed = missed
    return copy
  }

  /// Returns the publisher with a closure that is called each time that a stream is opened for which
  /// no subject with `flow=slowest` waits, because the token lacks the right `hold`.
  ///
  /// Such a stream misses what its subscriber is too slow for, as with `flow=free`.
  public func handleFreeFlow(_ freeFlow: @escaping @Sendable () -> Void) -> Self {
    var copy = self
    copy.freeFlow = freeFlow
    return copy
  }

  /// Subscribes to a NATS subject by a subscription `name` that survives this client and its
  /// server.
  ///
  /// Demand acknowledges: a value that the subscriber has taken is acknowledged when another is
  /// requested. Unacknowledged values come again, in order, to the next subscriber with that name,
  /// so values may be repeated after a lost connection. `window` bounds the values in transit or
  /// unacknowledged, from 1 to 16,384. With `values`, each acknowledgement costs a round trip.
  ///
  /// A second subscriber at the same time fails with `exists`.
  public func durable(_ name: String, window: Int = 1024) -> Self {
    var copy = self
    copy.durable = Durable(name: name, window: window)
    return copy
  }

  /// Attaches `subscriber` by a stream of its own.
  ///
  /// Demand requested before the opening is sent with it. Values and the end come on the
  /// connection's queue.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let inner = unsafe Inner(
      remote: remote,
      downstream: subscriber,
      decode: decode,
      missed: missed,
      freeFlow: freeFlow
    )
    inner.begin(remote.makeSubscription(expression, durable: durable, handler: inner))
  }
}

extension RemotePublisher {
  // Connects a stream to its subscriber; signals come from the connection's queue only. Unchecked:
  // `downstream` is used in `begin` and then on the queue, the rest is constant or under `lock`.
  @safe
  private final class Inner<Downstream: Subscriber>: Subscription, RemoteSubscriptionHandler,
    Releasing, @unchecked Sendable
  where Downstream.Input == Output, Downstream.Failure == RemoteError {
    private let remote: FlowRemote
    private let decode: @Sendable (UnsafeRawBufferPointer) throws(RemoteError) -> Output
    private let missed: (@Sendable (UInt64, String) -> Void)?
    private let freeFlow: (@Sendable () -> Void)?
    private var downstream: Downstream?
    private let isCancelled = Atomic(false)
    private nonisolated(unsafe) var state = State.collecting(.none)  // under `lock`, memory 6
    private let lock = Lock()

    private enum State {
      /// Not open yet; demand is sent with the opening.
      case collecting(Subscribers.Demand)
      case open(RemoteSubscription)
      case ended
    }

    init(
      remote: FlowRemote,
      downstream: Downstream,
      decode: @escaping @Sendable (UnsafeRawBufferPointer) throws(RemoteError) -> Output,
      missed: (@Sendable (UInt64, String) -> Void)?,
      freeFlow: (@Sendable () -> Void)?
    ) {
      self.remote = remote
      self.downstream = downstream
      unsafe self.decode = unsafe decode
      self.missed = missed
      self.freeFlow = freeFlow
    }

    private func withState<R>(_ body: (inout State) -> R) -> R {
      lock.withLock { unsafe body(&state) }
    }

    func begin(_ subscription: RemoteSubscription) {
      downstream?.receive(subscription: self)
      let first: Subscribers.Demand? = withState {
        guard case .collecting(let demand) = $0 else { return nil }
        $0 = .open(subscription)
        return demand
      }
      if let first { subscription.open(first) }
    }

    func request(_ demand: Subscribers.Demand) {
      precondition(demand > .none, "demand is 0, expected 1 or more")
      let open: RemoteSubscription? = withState {
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
      end()?.cancel()
      let inner: any Releasing = self
      remote.perform { inner.release() }
    }

    func release() { downstream = nil }

    private func end() -> RemoteSubscription? {
      withState { state in
        defer { state = .ended }
        if case .open(let subscription) = state { return subscription }
        return nil
      }
    }

    func subscription(_ s: RemoteSubscription, received payload: UnsafeRawBufferPointer) {
      guard !isCancelled.load(ordering: .acquiring), let downstream else { return }
      do throws(RemoteError) {
        let more = unsafe downstream.receive(try decode(payload))
        if more > .none { s.request(more) }
      } catch {
        s.cancel()
        subscription(s, ended: error)
      }
    }

    func subscriptionPassedValues(_ s: RemoteSubscription) {}

    func subscription(_ s: RemoteSubscription, missed count: UInt64, reason: String) {
      if !isCancelled.load(ordering: .acquiring) { missed?(count, reason) }
    }

    func subscriptionHasFreeFlow(_ s: RemoteSubscription) {
      if !isCancelled.load(ordering: .acquiring) { freeFlow?() }
    }

    func subscription(_ s: RemoteSubscription, ended error: RemoteError?) {
      guard end() != nil, let downstream else { return }
      self.downstream = nil
      downstream.receive(completion: error.map { .failure($0) } ?? .finished)
    }
  }
}

/// Releases its subscriber on the connection's queue.
private protocol Releasing: Sendable {
  func release()
}
