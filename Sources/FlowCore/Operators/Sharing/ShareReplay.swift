extension Publisher {
  /// Shares one subscription to the upstream, and sends late subscribers the last values first.
  ///
  ///     source             --1--2--3--|
  ///     share(replay: 1)
  ///       first            --1--2--3--|
  ///       second, late           2-3--|
  ///       third, later yet             3|
  ///
  /// The upstream is subscribed to with the first subscriber, asked for everything, and cancelled
  /// with the last one. Each subscriber has its own demand: one that is slow misses a value only
  /// when `count` newer ones have come. After the end late subscribers are sent the last values and
  /// the end; after a cancellation the next subscriber begins anew.
  @_disfavoredOverload
  public func share(replay count: Int) -> Publishers.ShareReplay<Self> {
    Publishers.ShareReplay(upstream: self, count: count)
  }
}

extension Publishers {
  /// See `share(replay:)`.
  public final class ShareReplay<Upstream: Publisher>: Publisher, Equatable {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher that all subscribers share.
    public let upstream: Upstream
    /// How many values late subscribers are sent.
    public let count: Int

    private let lock = Lock()
    private var connection: _ReplayConnection<Output, Failure>?

    /// Creates a publisher that shares `upstream` and keeps its last `count` values.
    ///
    /// A negative `count` traps when somebody subscribes.
    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    /// Attaches `subscriber`, which is sent what is kept; the first one makes this subscribe to the
    /// upstream.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let (connection, isFirst) = join()
      connection.receive(subscriber: subscriber)
      if isFirst { upstream.receive(subscriber: _ReplayUpstream(connection)) }
    }

    /// Counts a subscriber in; the first one must connect.
    @usableFromInline
    func join() -> (connection: _ReplayConnection<Output, Failure>, isFirst: Bool) {
      lock.withLock {
        if let connection, connection.join() { return (connection, false) }
        let new = _ReplayConnection<Output, Failure>(bufferSize: count) { [weak self] in
          self?.forget($0)
        }
        connection = new
        return (new, true)
      }
    }

    private func forget(_ old: _ReplayConnection<Output, Failure>) {
      lock.withLock { if connection === old { connection = nil } }
    }

    /// Whether both are the same object.
    public static func == (lhs: ShareReplay, rhs: ShareReplay) -> Bool { lhs === rhs }
  }
}

/// One subscription to the upstream of `share(replay:)`, and those who share it.
@usableFromInline
final class _ReplayConnection<Output, Failure: Error>: ReplaySubject<Output, Failure> {
  private enum Upstream {
    case awaited
    case subscribed(any Subscription)
    /// It has ended or been cancelled; after its end `canReplay` is true.
    case over(canReplay: Bool)
  }

  private let forget: (_ReplayConnection) -> Void
  private let lock = Lock()
  // The lock guards these.
  private var subscribers = 1
  private var upstream = Upstream.awaited

  init(bufferSize: Int, forget: @escaping (_ReplayConnection) -> Void) {
    self.forget = forget
    super.init(bufferSize: bufferSize)
  }

  @usableFromInline
  override var conduitName: String { "ShareReplay" }

  /// Counts a subscriber in, unless the last one has left.
  func join() -> Bool {
    lock.withLock {
      if case .over(canReplay: false) = upstream { return false }
      subscribers += 1
      return true
    }
  }

  /// Counts a subscriber out that has cancelled; the last one cancels the upstream.
  @usableFromInline
  override func hasCancelled() {
    let (isLast, left): (Bool, Upstream) = lock.withLock {
      subscribers -= 1
      if case .over = upstream { return (false, upstream) }
      guard subscribers == 0 else { return (false, upstream) }
      defer { upstream = .over(canReplay: false) }
      return (true, upstream)
    }
    guard isLast else { return }
    forget(self)
    if case .subscribed(let subscription) = left { subscription.cancel() }
  }

  /// Takes the upstream's subscription, of which everything is asked for, if it is wanted.
  @usableFromInline
  func connect(_ subscription: any Subscription) {
    let isWanted = lock.withLock {
      guard case .awaited = upstream else { return false }
      upstream = .subscribed(subscription)
      return true
    }
    if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
  }

  @usableFromInline
  func disconnect(_ completion: Subscribers.Completion<Failure>) {
    let old: Upstream = lock.withLock {
      if case .over = upstream { return upstream }
      defer { upstream = .over(canReplay: true) }
      return upstream
    }
    if case .over = old { return }
    send(completion: completion)
  }
}

// As its superclass, with a lock for the rest.
extension _ReplayConnection: @unchecked Sendable where Output: Sendable {}

/// Hands everything from the upstream to those who share it.
@frozen
@usableFromInline
struct _ReplayUpstream<Output, Failure: Error>: Subscriber, _SelfDescribing {
  @usableFromInline typealias Input = Output

  @usableFromInline let connection: _ReplayConnection<Output, Failure>

  @inlinable @inline(__always)
  init(_ connection: _ReplayConnection<Output, Failure>) { self.connection = connection }

  @usableFromInline
  var combineIdentifier: CombineIdentifier { CombineIdentifier(connection) }

  @usableFromInline
  var description: String { "ShareReplay" }

  @usableFromInline
  func receive(subscription: any Subscription) { connection.connect(subscription) }

  @inlinable @inline(__always)
  func receive(_ input: Output) -> Subscribers.Demand {
    connection.send(input)
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) { connection.disconnect(completion) }
}
