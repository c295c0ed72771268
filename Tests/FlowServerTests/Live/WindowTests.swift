import FlowServerSupport
import FlowTestSupport
import FlowTransport
import Testing

@testable import FlowServer

@Suite("The window of a stream")
struct WindowTests {
  @Test(
    "that others have filled within a turn is open again after it",
    arguments: ["b", "b.map { $0 }"]
  )
  func heldBackWithinTurn(_ source: String) throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a", "SUBJECT b")
    let client = try server.framed()
    let other = try server.framed()
    _ = try client.ask("SUB a max as=1")
    _ = try client.ask("SUB \(source) as=2 window=1")
    // In one read: what goes out on stream 1 stands against the request of stream 2.
    try client.say("SEND a \(String(repeating: "x", count: 100))", "REQ 2 3")
    _ = try client.rest { $0.hasPrefix("OK send") }
    #expect(try client.ask("PING") == "PONG")
    for value in 1...3 { #expect(try other.ask("SEND b \(value)") == "OK send b to=1 missed=0") }
    #expect(try client.lines(3) == ["= 2 1", "= 2 2", "= 2 3"])
  }

  @Test("of many streams beside one that fills the socket: each goes on when it is read")
  func heldBackBySocket() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a", "SUBJECT b")
    let client = try server.framed()
    let other = try server.framed()
    _ = try client.ask("SUB a max as=1 window=4MiB")
    for id in 2...40 { _ = try client.ask("SUB b as=\(id) window=100") }
    let large = String(repeating: "x", count: 1_000_000)
    var sent = 0
    try Patience.wait(for: "bytes that the kernel does not take") {
      _ = try other.ask("SEND a \(large)")
      sent += 1
      return try other.unsent(server) > 0
    }
    try client.say((2...40).map { "REQ \($0) 1" }.joined(separator: "\n"))
    for _ in 0..<sent { #expect(try client.line().utf8.count == large.utf8.count + 4) }
    #expect(try client.ask("PING") == "PONG")
    #expect(try other.ask("SEND b 1") == "OK send b to=39 missed=0")
    #expect(try client.lines(39) == (2...40).map { "= \($0) 1" })
  }
}

extension TestClient {
  /// What the connections of `server` have not sent, once all that was said has been done.
  fileprivate func unsent(_ server: TestServer) throws -> Int {
    server.server.perform { engine in
      engine.clients.all.reduce(0) { $0 + $1.connection.unsent }
    }
  }
}
