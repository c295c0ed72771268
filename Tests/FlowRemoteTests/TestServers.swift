import FlowServer
import Synchronization

/// Servers that live to the end of the tests, as a server does in a program.
enum TestServers {
  private static let all = Mutex<[Server]>([])

  /// Starts a server on a port of its own.
  static func start() throws -> (server: Server, address: String) {
    let server = Server()
    all.withLock { $0.append(server) }
    return (server, try server.listen(on: "127.0.0.1:0"))
  }
}
