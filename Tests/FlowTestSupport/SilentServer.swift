internal import Glibc

/// A server that accepts connections and sends nothing.
public final class SilentServer {
  public var address: String { "127.0.0.1:\(socket.port)" }
  private let socket: ListeningDescriptor

  public init() throws { socket = try ListeningDescriptor(backlog: 8) }

  /// Waits for a client and closes its connection.
  public func hangUp() throws { close(try socket.accept()) }
}
