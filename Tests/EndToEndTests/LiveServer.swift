import Dispatch
import FlowCore
import FlowTestSupport

@testable import FlowServer

/// A server on a free port, in real time or in the time of a test's clock.
final class LiveServer {
  let server: Server
  let port: UInt16
  private let clock: VirtualTimeScheduler?

  init(
    tokens: [Token] = [],
    nats: [String] = [],
    clock: VirtualTimeScheduler? = nil
  ) throws {
    self.clock = clock
    var configuration = Configuration()
    configuration.nats = nats
    configuration.tokens = tokens
    configuration.memory = 1 << 40  // the process of the tests takes more than a server may
    server = Server(configuration: configuration, clock: clock) { _ in }
    let address = try server.listen(on: "127.0.0.1:0")
    guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw TestFailure("no port in \(address)")
    }
    self.port = port
  }

  deinit {
    let done = DispatchSemaphore(value: 0)
    server.stop(drain: 0) { done.signal() }
    advance(to: .max)
    done.wait()
  }

  /// Connects and reads the greeting.
  func connect() throws -> TestClient {
    let client = try TestClient(port: port)
    _ = try client.line()
    return client
  }

  /// Moves the test's clock on to `seconds` since its start, as a turn of the server's loop.
  func advance(toSecond seconds: Double) {
    advance(to: Int64(seconds * 1e9))
  }

  private func advance(to nanoseconds: Int64) {
    guard let clock else { return }
    server.perform { _ in clock.advance(to: .init(nanoseconds: nanoseconds)) }
  }
}
