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
  public func share(replay count: Int) -> Publishers.ShareReplay<Self> {
    Publishers.ShareReplay(upstream: self, count: count)
  }
}

extension Publishers {
  /// See `share(replay:)`.
  public final class ShareReplay<Upstream: Publisher>: Publisher, Equatable {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    /// How many values late subscribers are sent.
    public let count: Int

    private let lock = Lock()
    private var connection: Connection?

    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let (connection, isFirst) = join()
      let tap = Tap(share: self, connection: connection)
      connection.subject.receive(subscriber: TapSubscriber("ShareReplay", subscriber, tap))
      if isFirst { connect(connection) }
    }

    public static func == (lhs: ShareReplay, rhs: ShareReplay) -> Bool { lhs === rhs }
  }
}

extension Publishers.ShareReplay {
  /// One subscription to the upstream; the share's lock guards its variables.
  private final class Connection {
    let subject: ReplaySubject<Output, Failure>
    var subscribers = 0
    var isOver = false
    var upstream: AnyCancellable?

    init(_ count: Int) { subject = ReplaySubject(bufferSize: count) }
  }

  /// Counts a subscriber in; the first one must connect.
  private func join() -> (connection: Connection, isFirst: Bool) {
    lock.withLock {
      let isFirst = connection == nil
      let connection = connection ?? Connection(count)
      self.connection = connection
      connection.subscribers += 1
      return (connection, isFirst)
    }
  }

  private func connect(_ connection: Connection) {
    let source = upstream.handleEvents(receiveCompletion: { [weak self] _ in
      self?.lock.withLock { connection.isOver = true }
    })
    let upstream = source.subscribe(connection.subject)
    let isWanted = lock.withLock {
      guard !connection.isOver else { return false }
      connection.upstream = upstream
      return true
    }
    if !isWanted { upstream.cancel() }
  }

  /// Counts a subscriber out that has cancelled; the last one ends the connection.
  private func leave(_ connection: Connection) {
    let upstream: AnyCancellable? = lock.withLock {
      connection.subscribers -= 1
      guard connection.subscribers == 0, !connection.isOver else { return nil }
      connection.isOver = true
      if self.connection === connection { self.connection = nil }
      return connection.upstream.take()
    }
    upstream?.cancel()
  }

  private struct Tap: SignalTap {
    let share: Publishers.ShareReplay<Upstream>
    let connection: Connection

    func receive(subscription: any Subscription) {}
    func receive(_ output: Output) {}
    func receive(completion: Subscribers.Completion<Failure>) {}
    func request(_ demand: Subscribers.Demand, isReturned: Bool) {}
    func cancel() { share.leave(connection) }
  }
}
