import FlowCore
import FlowServerSupport
import FlowTestSupport
import FlowTransport
import Testing

@testable import FlowServer

@Suite("A server that is let go")
struct LettingGoTests {
  /// An address at which no other test listens, with whatever port.
  private let host: UInt32 = 0x7F0D_0001

  /// Serves two clients who are in the middle of things, and lets go of the server.
  private func serve() throws -> (port: UInt16, clients: [TestClient]) {
    let server = Server(configuration: .ofTests())
    let address = try server.listen(on: "127.13.0.1:0")
    guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw TestFailure("no port in \(address)")
    }
    let clients = try (0..<2).map { _ in try TestClient(port: port, host: host) }
    for client in clients { _ = try client.line() }
    try clients[0].say("SUBJECT a", "SUBJECT b", "RUN r = a.map { $0 }.assign(to: b)", "PUB a")
    try clients[0].say("SUB Timer.publish(every: .seconds(0.01)).autoconnect() max", "SUB a 5")
    _ = try clients[0].rest(until: "OK sub 3 a demand=5")
    try clients[1].say("SERVE s 5", "SUB a.flatMap { ask(s, $0) } max", "SEND a 1", "PING")
    _ = try clients[1].rest(until: "PONG")
    return (port, clients)
  }

  @Test("ends: its clients are closed, and nobody listens any more")
  func ends() throws {
    for _ in 0..<20 {
      let (port, clients) = try serve()
      for client in clients { _ = try client.rest() }
      #expect(throws: TestFailure.self) { try TestClient(port: port, host: host) }
    }
  }

  /// Serves a SEND that waits for room; returns what is as old as the server.
  private func serveWaiting() throws -> Lent {
    let server = try TestServer()
    try server.prepare("SUBJECT a flow=slowest")
    let (reader, sender) = (try server.framed(), try server.framed())
    _ = try reader.ask("SUB a")
    try sender.say("SEND a 1")
    try sender.waitForArrival()
    _ = try reader.ask("PING")
    return Lent(clock: server.clock)
  }

  private struct Lent { weak var clock: VirtualTimeScheduler? }

  @Test("goes, and its clock with it, though a SEND waits for room")
  func waits() throws {
    let lent = try serveWaiting()
    try Patience.wait(for: "the release of the clock") { lent.clock == nil }
  }
}
