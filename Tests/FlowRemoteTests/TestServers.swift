import Dispatch
import FlowRemote
import FlowServer
import Synchronization

/// Servers that live to the end of the tests, as a server does in a program.
enum TestServers {
  private static let all = Mutex<[Server]>([])

  /// Starts a server, on a port of its own unless told, with what `definitions` define.
  static func start(
    _ definitions: String = "",
    on address: String = "127.0.0.1:0",
    tokens: [Token] = []
  ) throws -> (server: Server, address: String) {
    var configuration = Configuration()
    configuration.tokens = tokens
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

/// Things that arrive from other threads, and who waits for them, at most ten seconds.
final class Arrivals<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  private let changed = DispatchSemaphore(value: 0)

  var all: [Element] { elements.withLock { $0 } }

  func add(_ element: Element) {
    elements.withLock { $0.append(element) }
    changed.signal()
  }

  /// Waits until there are `count`.
  func wait(for count: Int = 1) -> [Element] {
    wait { $0.count >= count }
  }

  /// Waits until there are enough, and gives what there is.
  func wait(until isEnough: ([Element]) -> Bool) -> [Element] {
    let deadline = DispatchTime.now() + .seconds(10)
    while !isEnough(all), changed.wait(timeout: deadline) == .success {}
    return all
  }
}
