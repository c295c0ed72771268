import Dispatch
import FlowCore
import FlowTestSupport
import FlowTransport

@testable import FlowServer

/// A server on a free port whose time the test moves on.
final class TestServer {
  let server: Server
  let clock = VirtualTimeScheduler()
  let port: UInt16

  init(
    _ configuration: Configuration = Configuration(),
    platform: SystemPlatform = .shared,
    logLevel: ServerLogEvent.Level = .info,
    log: @escaping @Sendable (ServerLogEvent) -> Void = { _ in }
  ) throws {
    var configuration = configuration
    // A process of tests, under a sanitizer above all, takes more than a server may.
    if configuration.memory == Configuration().memory {
      configuration.memory = Configuration.ofTests.memory
    }
    server = Server(
      configuration: configuration,
      platform: platform,
      clock: clock,
      logLevel: logLevel,
      log: log
    )
    let address = try server.listen(on: "127.0.0.1:0")
    guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw TestFailure("no port in \(address)")
    }
    self.port = port
  }

  deinit {
    let done = DispatchSemaphore(value: 0)
    server.stop(drain: 0) { done.signal() }
    repeat { advance(seconds: 1) } while done.wait(timeout: .now() + .milliseconds(5)) != .success
  }

  /// Moves the server's clock on, as a turn of its loop.
  func advance(seconds: Double) {
    server.perform { $0.clock.advance(by: .seconds(seconds)) }
  }

  /// Reads what has arrived at the sockets, of which a busy machine tells the loop late.
  func readWhatWaits() { server.perform { $0.loop.readWhatWaits() } }

  func connect() throws -> TestClient {
    let client = try TestClient(port: port)
    let greeting = try client.line()
    guard greeting.hasPrefix("HI flow/") else { throw TestFailure("greeted with \(greeting)") }
    return client
  }
}

extension Configuration {
  /// As it is of itself, but for the memory: the process of the tests takes more than a server may.
  static var ofTests: Configuration {
    var configuration = Configuration()
    configuration.memory = 1 << 40
    return configuration
  }
}
