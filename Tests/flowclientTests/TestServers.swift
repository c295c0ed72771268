import FlowServer
import FlowTestSupport
import Synchronization

/// Servers that live to the end of the tests, as a server does in a program.
enum TestServers {
  private static let all = Mutex<[Server]>([])

  /// Starts a server, on an address of its own unless told.
  static func start(
    _ definitions: String = "",
    on address: String = Loopback.address(),
    nats: [String] = []
  ) throws -> (server: Server, address: String) {
    var configuration = Configuration()
    configuration.memory = 1 << 40  // the process of the tests takes more than a server may
    configuration.nats = nats
    let server = Server(configuration: configuration)
    all.withLock { $0.append(server) }
    try server.load(definitions, file: "test")
    return (server, try server.listen(on: address))
  }

  /// Ends a server at once and waits until its port is free.
  static func kill(_ server: Server) async {
    await withCheckedContinuation { continuation in
      server.stop(drain: 0) { continuation.resume() }
    }
  }
}
