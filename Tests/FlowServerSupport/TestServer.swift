internal import Dispatch
public import FlowCore
internal import FlowNATSBackend
public import FlowServer
public import FlowTestSupport
public import FlowTransport
internal import Synchronization

/// A server in the process of the tests, in virtual time, which the test advances, or in real time.
public final class TestServer: Sendable {
  public enum Time: Sendable {
    case virtual
    case real
  }

  public let server: Server
  /// Its address, as `HOST:PORT`.
  public let address: String
  public let port: UInt16
  /// The server's clock, in virtual time.
  public let clock = VirtualTimeScheduler()
  private let time: Time

  /// Starts a server that stops when the test releases it.
  public init(
    _ configuration: Configuration = .ofTests(),
    definitions: String = "",
    time: Time = .virtual,
    on address: String = "127.0.0.1:0",
    platform: SystemPlatform = .shared,
    logLevel: ServerLogEvent.Level = .info,
    log: @escaping @Sendable (ServerLogEvent) -> Void = { _ in }
  ) throws {
    self.time = time
    var configuration = configuration
    if configuration.memory == Configuration().memory {
      configuration.memory = Configuration.ofTests().memory
    }
    configuration.stores = [.nats]
    server = Server(
      configuration: configuration,
      platform: platform,
      clock: time == .virtual ? clock : nil,
      logLevel: logLevel,
      log: log
    )
    if !definitions.isEmpty { try server.load(definitions, file: "test") }
    self.address = try server.listen(on: address)
    guard let port = self.address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw TestFailure("no port in \(self.address)")
    }
    self.port = port
  }

  deinit {
    let done = DispatchSemaphore(value: 0)
    server.stop(drain: 0) { done.signal() }
    let deadline = Patience.deadline
    repeat {
      precondition(.now() < deadline, "waited \(Patience.seconds) s for the server to stop")
      advance(seconds: 1)
    } while done.wait(timeout: .now() + .milliseconds(5)) != .success
  }

  /// Advances the server's clock in a turn of its loop.
  public func advance(seconds: Double) {
    turn { $0.advance(by: .seconds(seconds)) }
  }

  /// Advances the server's clock to `seconds` since its start, in a turn of its loop.
  public func advance(toSecond seconds: Double) {
    turn { $0.advance(toSecond: seconds) }
  }

  private func turn(_ body: @escaping @Sendable (VirtualTimeScheduler) -> Void) {
    guard time == .virtual else { return }
    let done = DispatchSemaphore(value: 0)
    server.probe { [clock] in
      body(clock)
      done.signal()
    }
    let result = done.wait(timeout: Patience.deadline)
    precondition(result == .success, "waited \(Patience.seconds) s for a turn of the server's loop")
  }

  /// Connects and reads the greeting.
  public func connect() throws -> TestClient {
    let client = try TestClient(port: port)
    let greeting = try client.line()
    guard greeting.hasPrefix("HI flow/") else { throw TestFailure("greeted with \(greeting)") }
    return client
  }

  /// Connects a client that has said HELLO and then `lines`.
  public func framed(_ lines: String...) throws -> TestClient {
    let client = try connect()
    guard try client.ask("HELLO 1") == "OK hello 1" else { throw TestFailure("not framed") }
    for line in lines { _ = try client.ask(line) }
    return client
  }

  // MARK: Servers that live until the process ends

  private static let kept = Mutex<[TestServer]>([])

  /// Starts a server in real time, by default on a new loopback address; it runs until the process ends.
  public static func start(
    _ definitions: String = "",
    on address: String = Loopback.address(),
    tokens: [Token] = [],
    nats: [String] = []
  ) throws -> (server: Server, address: String) {
    let server = try TestServer(
      .ofTests(tokens: tokens, nats: nats),
      definitions: definitions,
      time: .real,
      on: address
    )
    kept.withLock { $0.append(server) }
    return (server.server, server.address)
  }

  /// Stops a server at once and waits until its port is free.
  public static func kill(_ server: Server) async throws {
    let isGone = Guarded(false)
    server.stop(drain: 0) { isGone.withLock { $0 = true } }
    try await Patience.suspend(for: "the server to stop") { isGone.withLock { $0 } }
  }
}

extension Configuration {
  /// The default configuration without a limit of memory, since the tests' process needs more than a server.
  public static func ofTests(tokens: [Token] = [], nats: [String] = []) -> Configuration {
    var configuration = Configuration()
    configuration.tokens = tokens
    configuration.nats.servers = nats
    configuration.memory = 1 << 40
    return configuration
  }
}
