extension EventLoop {
  /// Listens, and gives each connection to `accept`, on the queue; there it gets its handler.
  ///
  /// A connection that leaves `accept` without a handler is closed. May be called on any thread.
  /// `localhost` is 127.0.0.1; other names are refused. A Unix socket's file is replaced if nobody
  /// answers on it any more, and removed by `close()`.
  ///
  /// Whoever comes when the process has no descriptors left is told `farewell` and dropped, of which
  /// `turnedAway` is told, on the queue.
  public func listen(
    on address: SocketAddress,
    farewell: [UInt8] = [],
    turnedAway: @escaping () -> Void = {},
    accept: @escaping (Connection) -> Void
  ) throws(TransportError) -> Listener {
    try listen(
      with: SocketToServe.made(at: address).taken(for: self),
      farewell: farewell,
      turnedAway: turnedAway,
      accept: accept
    )
  }

  /// Listens on a socket that listens already, which it closes.
  package func listen(
    with socket: any ListeningSocket,
    farewell: [UInt8] = [],
    turnedAway: @escaping () -> Void = {},
    accept: @escaping (Connection) -> Void
  ) throws(TransportError) -> Listener {
    let listener = try Listener(socket, loop: self, accept: accept)
    listener.farewell = farewell
    listener.turnedAway = turnedAway
    post { listener.start() }
    return listener
  }

  /// Listens at `socket`, and accepts every peer even when the process has no descriptors left.
  ///
  /// In that case it calls `makeRoom` on the queue, which returns whether it has closed a connection. If not, the
  /// next connection takes the listener's spare descriptor and is given to `acceptLast`; the caller must call
  /// `renewSpare` when that connection is closed.
  package func listen(
    with socket: any ListeningSocket,
    makeRoom: @escaping () -> Bool,
    acceptLast: @escaping (Connection) -> Void,
    accept: @escaping (Connection) -> Void
  ) throws(TransportError) -> Listener {
    let listener = try Listener(socket, loop: self, accept: accept)
    listener.shortage = Listener.Shortage(makeRoom: makeRoom, accept: acceptLast)
    post { listener.start() }
    return listener
  }
}

/// A socket that takes connections, until it is closed.
///
/// Unchecked: its variables are touched on the loop's queue only.
public final class Listener: @unchecked Sendable {
  /// The address, with the port that the kernel chose for 0.
  public let address: SocketAddress

  private weak let loop: EventLoop?
  private let socket: any ListeningSocket
  private var accept: ((Connection) -> Void)?
  fileprivate var farewell: [UInt8] = []
  fileprivate var turnedAway: (() -> Void)?
  fileprivate var shortage: Shortage?
  private var watch: (any Watch)?
  private var isClosed = false

  /// The closures that such a listener calls when no descriptors are left.
  fileprivate struct Shortage {
    let makeRoom: () -> Bool
    let accept: (Connection) -> Void
  }

  fileprivate init(
    _ socket: any ListeningSocket,
    loop: EventLoop,
    accept: @escaping (Connection) -> Void
  ) throws(TransportError) {
    self.socket = socket
    self.loop = loop
    self.accept = accept
    self.address = socket.address
    do {
      watch = try loop.poller.watch(socket.descriptor, for: self, interest: [])
    } catch {
      socket.close(nil)
      throw error
    }
  }

  /// Accepts no more connections; open ones stay open.
  ///
  /// From any thread: at once on the loop's queue, else as soon as that is free.
  public func close() {
    guard let loop else { return }
    if !loop.isCurrent { return loop.post { self.close() } }
    loop.remove(self)
    abandon()
  }

  fileprivate func start() {
    if isClosed { return }
    loop?.add(self)
    watch?.update(.read)
  }

  /// Closes without a loop to tell.
  func abandon() {
    if isClosed { return }
    isClosed = true
    socket.close(watch)
    watch = nil
    accept = nil
    turnedAway = nil
    shortage = nil
  }

  /// Opens the spare descriptor again, if it is not open.
  package func renewSpare() { if !isClosed { socket.renewSpare() } }
}

extension Listener: Watched {
  package func ready(_ readiness: Readiness) {
    for _ in 0..<256 {
      if isClosed { return }
      switch socket.accept() {
      case .connected(let accepted): open(accepted, accept)
      case .again: continue
      case .exhausted: if !(shortage.map(takeLast) ?? shed()) { return }
      case .none: return
      }
    }
  }

  private func open(_ accepted: ConnectedSocket, _ accept: ((Connection) -> Void)?) {
    guard let loop else { return }
    let connection = Connection(accepted.descriptor, peer: accepted.peer, loop: loop)
    accept?(connection)
    connection.register()
    connection.begin()
  }

  /// Turns one connection away for want of descriptors; returns whether there may be more.
  ///
  /// Left in the queue it would be reported again and again.
  private func shed() -> Bool {
    switch socket.turnAway(saying: farewell) {
    case .done:
      turnedAway?()
      return true
    case .nobodyWaits:
      return false
    case .impossible:
      pause(100_000_000)
      return false
    }
  }

  /// Accepts one connection with the spare descriptor; returns whether to accept again at once.
  private func takeLast(_ shortage: Shortage) -> Bool {
    // The descriptor of the connection that makes room becomes free after this turn.
    if shortage.makeRoom() { return false }
    switch socket.acceptBySpare() {
    case .connected(let accepted): open(accepted, shortage.accept)
    case .again: return true
    case .none: break
    case .exhausted: pause(5_000_000)
    }
    return false
  }

  /// Stops accepting for that many nanoseconds, instead of spinning.
  private func pause(_ nanoseconds: UInt64) {
    watch?.update([])
    guard let loop else { return }
    loop.run(at: loop.now + nanoseconds) { [weak self] in self?.watch?.update(.read) }
  }
}
