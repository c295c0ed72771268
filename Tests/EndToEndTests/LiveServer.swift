import Dispatch
import FlowServer
import FlowTestSupport

/// A server on a free port, in real time.
final class LiveServer {
  let server = Server()
  let port: UInt16

  init() throws {
    let address = try server.listen(on: "127.0.0.1:0")
    guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw TestFailure("no port in \(address)")
    }
    self.port = port
  }

  deinit {
    let done = DispatchSemaphore(value: 0)
    server.stop(drain: 0) { done.signal() }
    done.wait()
  }

  /// Connects and reads the greeting.
  func connect() throws -> TestClient {
    let client = try TestClient(port: port)
    _ = try client.line()
    return client
  }
}
