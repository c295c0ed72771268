public import FlowCore
import Synchronization

extension FlowRemote {
  /// The values of a subject, a pipeline or an expression, each the bytes of its payload.
  ///
  /// Every subscriber opens a stream of its own, and what it asks for is asked of the server. The
  /// expression may have several lines, which are joined by blanks; a string in it has one.
  public func publisher(_ expression: String) -> RemotePublisher<[UInt8]> {
    unsafe RemotePublisher(remote: self, expression: expression) { unsafe [UInt8]($0) }
  }
}

/// A subject, pipeline or expression of a server as a publisher.
///
/// Demand crosses the wire: nothing is asked of the server that the subscriber did not ask for.
/// What is asked for goes out at once; requests of one turn of the connection's queue go out as one.
/// Values are delivered on that queue. A payload that cannot be decoded cancels the stream and
/// fails it with `RemoteError.undecodable`.
@safe  // memory 8
public struct RemotePublisher<Output>: Publisher, Sendable {
  public typealias Failure = RemoteError

  let remote: FlowRemote
  let expression: String
  let decode: @Sendable (UnsafeRawBufferPointer) throws(RemoteError) -> Output
  private(set) var durable: Durable?
  private(set) var missed: (@Sendable (_ count: UInt64, _ reason: String) -> Void)?

  init(
    remote: FlowRemote,
    expression: String,
    decode: @escaping @Sendable (UnsafeRawBufferPointer) throws(RemoteError) -> Output
  ) {
    self.remote = remote
    self.expression = expression
    unsafe self.decode = unsafe decode
  }

  /// Returns the same publisher, which calls `missed` for values that its subscribers missed.
  ///
  /// The server reports misses before the next value: how many, and why, as a word of the protocol
  /// such as `no-demand` or `buffer-oldest`. Without this they are counted at the server only.
  public func handleMisses(
    _ missed: @escaping @Sendable (_ count: UInt64, _ reason: String) -> Void
  ) -> Self {
    var copy = self
    copy.missed = missed
    return copy
  }

  /// The same subject of NATS as a subscription called `name` that survives this client and its server.
  ///
  /// Demand is the acknowledgement. A value that the subscriber has taken is acknowledged as soon as it
  /// wants another one; what was not acknowledged comes again, in order, to whoever subscribes with
  /// that name next. So the subscriber may get values again after the connection was lost. `window` is
  /// how many values may be under way or not acknowledged, from 1 to 16,384, whatever the demand.
  /// With `values`, a value is acknowledged when the next one is asked for, which costs a round trip.
  ///
  /// One subscriber at a time may have it: another one fails with `exists`.
  public func durable(_ name: String, window: Int = 1024) -> Self {
    var copy = self
    copy.durable = Durable(name: name, window: window)
    return copy
  }

  /// Attaches `subscriber`, for which a stream is opened at the server.
  ///
  /// What it asks for before that goes with the opening. Values and the end come on the
  /// connection's queue.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let inner = unsafe Inner(remote: remote, downstream: subscriber, decode: decode, missed: missed)
    inner.begin(remote.makeSubscription(expression, durable: durable, handler: inner))
  }
}

extension RemotePublisher {
  /// Between the stream and the subscriber; signals come from the connection's queue only.
  // Safe to share: `downstream` is used in `begin` and after that on the queue, the rest is locked
  // or constant.
  @safe
  private final class Inner<Downstream: Subscriber>: Subscription, RemoteSubscriptionHandler,
    Releasing, @unchecked Sendable
  where Downstream.Input == Output, Downstream.Failure == RemoteError {
    private let remote: FlowRemote
    private let decode: @Sendable (UnsafeRawBufferPointer) throws(RemoteError) -> Output
    private let missed: (@Sendable (UInt64, String) -> Void)?
    private var downstream: Downstream?
    private let isCancelled = Atomic(false)
    private nonisolated(unsafe) var state = State.collecting(.none)  // under `lock`, memory 6
    private let lock = Lock()

    private enum State {
      /// Not open yet; what is asked for goes with the opening.
      case collecting(Subscribers.Demand)
      case open(RemoteSubscription)
      case ended
    }

    init(
      remote: FlowRemote,
      downstream: Downstream,
      decode: @escaping @Sendable (UnsafeRawBufferPointer) throws(RemoteError) -> Output,
      missed: (@Sendable (UInt64, String) -> Void)?
    ) {
      self.remote = remote
      self.downstream = downstream
      unsafe self.decode = unsafe decode
      self.missed = missed
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

    /// - Returns: what was open.
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

    func subscription(_ s: RemoteSubscription, ended error: RemoteError?) {
      guard end() != nil, let downstream else { return }
      self.downstream = nil
      downstream.receive(completion: error.map { .failure($0) } ?? .finished)
    }
  }
}

/// An object that releases its subscriber, on the connection's queue.
private protocol Releasing: Sendable {
  func release()
}
