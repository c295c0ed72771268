import Dispatch

extension EventLoop {
  /// Serves a connected socket with its handler; call it on the queue.
  @discardableResult
  public func register(
    _ socket: ConnectedSocket,
    handler: any ConnectionHandler
  ) -> Connection {
    dispatchPrecondition(condition: .onQueue(queue))
    let connection = Connection(socket.descriptor, peer: socket.peer, loop: self)
    connection.handler = handler
    connection.register()
    return connection
  }

  /// Connects, blocking the calling thread for at most `timeout` milliseconds, then serves the
  /// connection.
  ///
  /// `opened` gets the connection first, on the queue, and sets its handler; reading begins after
  /// it. Calling this on the loop's queue would stop the loop.
  @discardableResult
  public func connect(
    to address: SocketAddress,
    timeout: Int32 = 5000,
    opened: @escaping @Sendable (Connection) -> Void
  ) throws(TransportError) -> Connection {
    let nanoseconds = UInt64(max(timeout, 0)) * 1_000_000
    let socket = try platform.connect(to: address, within: nanoseconds)
    let connection = Connection(socket.descriptor, peer: socket.peer, loop: self)
    post { [self] in
      opened(connection)
      withExtendedLifetime(self) { connection.register() }
    }
    return connection
  }
}
