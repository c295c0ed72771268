import FlowRemote
import FlowServer
import FlowTestSupport
import Synchronization

/// Servers that live to the end of the tests, as a server does in a program.
enum TestServers {
  private static let all = Mutex<[Server]>([])

  /// Starts a server, on an address of its own unless told, with what `definitions` define.
  static func start(
    _ definitions: String = "",
    on address: String = Loopback.address(),
    tokens: [Token] = [],
    nats: [String] = []
  ) throws -> (server: Server, address: String) {
    var configuration = Configuration()
    configuration.tokens = tokens
    configuration.nats = nats
    configuration.memory = 1 << 40  // the process of the tests takes more than a server may
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

extension FlowRemote {
  /// Connects with attempts to connect again within milliseconds, and tells `states`.
  static func test(
    _ address: String,
    states: Arrivals<State> = Arrivals()
  ) async throws -> FlowRemote {
    var settings = Settings()
    settings.reconnect = Backoff(first: .milliseconds(1), longest: .milliseconds(10))
    settings.stateChanged = { states.add($0) }
    return try await connect(to: address, settings: settings)
  }
}
