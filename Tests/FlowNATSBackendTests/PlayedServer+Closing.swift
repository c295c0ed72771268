import FlowServerSupport
import FlowTestSupport

@testable import FlowServer

extension PlayedServer {
  /// Closes a connection, and waits until the server knows it.
  func close(_ client: TestClient) throws {
    let count = server.server.perform { $0.clients.count }
    client.close()
    try server.wait(for: "the server to drop a client") { $0.clients.count < count }
  }
}
