extension EventLoop {
  /// Listens, and gives each connection to `accept` on the queue, which sets its handler.
  ///
  /// A connection without a handler after `accept` is closed. On any thread. `localhost` is
  /// 127.0.0.1; other names are refused. The file of a dead Unix socket is replaced, and `close()`
  /// removes it. When the process has no descriptors left, a peer is sent `farewell` and dropped,
  /// and `turnedAway` is called on the queue.
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

  /// Serves a socket that already listens; closing the listener closes it.
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

  /// Serves `socket`, and accepts every peer even when the process has no descriptors left.
  ///
  /// Then it calls `makeRoom` on the queue, which returns whether it closed a connection. If not,
  /// the next connection takes the spare descriptor and goes to `acceptLast`; the caller must call
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

/// A listening socket.
///
/// Unchecked: its variables are used on the loop's queue only.
public final class Listener: @unchecked Sendable {
  /// The address, with the kernel's choice for port 0.
  public let address: SocketAddress

  private weak let loop: EventLoop?
  private let socket: any ListeningSocket
  private var accept: ((Connection) -> Void)?
  fileprivate var farewell: [UInt8] = []
  fileprivate var turnedAway: (() -> Void)?
  fileprivate var shortage: Shortage?
  private var watch: (any Watch)?
  private var isClosed = false

  /// The closures that `listen(with:makeRoom:acceptLast:)` calls when no descriptors are left.
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
  /// On the loop's queue it takes effect at once, on other threads as soon as the queue is free.
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

  /// Closes without a loop to notify.
  func abandon() {
    if isClosed { return }
    isClosed = true
    socket.close(watch)
    watch = nil
    accept = nil
    turnedAway = nil
    shortage = nil
  }

  /// Reopens the spare descriptor if needed.
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
  /// A connection left in the queue would be reported again and again.
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
    // The connection closed by `makeRoom` frees its descriptor after this turn.
    if shortage.makeRoom() { return false }
    switch socket.acceptBySpare() {
    case .connected(let accepted): open(accepted, shortage.accept)
    case .again: return true
    case .none: break
    case .exhausted: pause(5_000_000)
    }
    return false
  }

  /// Stops accepting for that many nanoseconds, to avoid spinning.
  private func pause(_ nanoseconds: UInt64) {
    watch?.update([])
    guard let loop else { return }
    loop.run(at: loop.now + nanoseconds) { [weak self] in self?.watch?.update(.read) }
  }
}
