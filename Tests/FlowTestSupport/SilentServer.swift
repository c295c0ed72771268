internal import Glibc

/// Takes connections, and says nothing.
public final class SilentServer {
  public var address: String { "127.0.0.1:\(socket.port)" }
  private let socket: ListeningDescriptor

  public init() throws { socket = try ListeningDescriptor(backlog: 8) }

  /// Waits for a client, and closes its connection.
  public func hangUp() throws { close(try socket.accept()) }
}
