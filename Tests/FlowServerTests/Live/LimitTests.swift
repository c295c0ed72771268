import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

/// Each limit of `protocol.md` that no other suite is about, made small enough to reach.
@Suite("Limits")
struct LimitTests {
  private func client(
    _ change: (inout Configuration) -> Void
  ) throws -> (server: TestServer, client: TestClient) {
    var configuration = Configuration()
    change(&configuration)
    let server = try TestServer(configuration)
    return (server, try server.connect())
  }

  @Test("so many subjects may be defined, and as many pipelines and runs")
  func names() throws {
    let (server, client) = try client { $0.nameLimit = 2 }
    for line in [
      "SUBJECT a", "SUBJECT b", "PIPELINE c = a.map { $0 }", "PIPELINE d = a.map { $0 }",
      "RUN e = a.map { $0 }.assign(to: b)", "RUN f = a.filter { $0 > 1 }.assign(to: b)",
    ] {
      #expect(try client.ask(line).hasPrefix("OK "))
    }
    for (line, kind) in [
      ("SUBJECT x", "subjects"), ("PIPELINE x = a", "pipelines"),
      ("RUN x = a.assign(to: b)", "runs"),
    ] {
      #expect(try client.ask(line) == "ERR limit the limit of 2 \(kind) is reached")
    }
    #expect(try client.ask("DELETE d") == "OK delete d")
    #expect(try client.ask("PIPELINE x = a").hasPrefix("OK "))
    withExtendedLifetime(server) {}
  }

  @Test("a subject keeps so many values")
  func replay() throws {
    let (server, client) = try client { $0.replayLimit = 3 }
    #expect(try client.ask("SUBJECT a replay 3").hasPrefix("OK "))
    #expect(
      try client.ask("SUBJECT b replay 4").hasPrefix("ERR limit replay is 4, expected at most 3")
    )
    withExtendedLifetime(server) {}
  }

  @Test("one flatMap holds so many publishers, one more is a failure of its stage")
  func innerPublishers() throws {
    let (server, client) = try client { $0.pipelines.innerPublisherLimit = 2 }
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT a")
    _ = try client.ask("SUB a.flatMap { Just($0).delay(for: 5) } max")
    try client.say("SEND a 1", "SEND a 2")
    _ = try client.lines(2)
    try client.say("SEND a 3")
    #expect(try client.line().hasPrefix("FAIL 1 stage flatMap { "))
    #expect(try client.line() == "OK send a to=1 missed=0")
    withExtendedLifetime(server) {}
  }

  @Test("so many SENDs of a connection wait, then it is not read any further")
  func waitingSends() throws {
    let (server, client) = try client { $0.demand.grant = 2 }
    let other = try server.connect()
    _ = try client.ask("SUBJECT a flow=slowest")
    try client.say("SEND a 1", "SEND a 2", "SUBJECT b")
    _ = try other.ask("HELLO 1")
    try other.waitUntil(2, waitAt: "a")
    _ = try other.ask("SUB a 1")
    #expect(try client.lines(1) == ["OK send a to=1 missed=0"])
    _ = try other.ask("REQ 1 1", answer: "PING")
    #expect(
      try client.lines(2) == ["OK send a to=1 missed=0", "OK subject b passthrough flow=free"]
    )
  }

  @Test("what a typed client has asked for is waited for so long after its input has ended")
  func linger() throws {
    let (server, client) = try client { $0.timeouts.linger = 3_000_000_000 }
    _ = try client.ask("SUBJECT a")
    _ = try client.ask("SUB a 2")
    let other = try server.connect()
    client.endInput()
    // It takes a moment for the end to arrive; then it is 3 s, not the usual 10.
    var seconds = 0
    try Patience.wait(for: "the end of the stream") {
      if try other.ask("LIST streams") == "OK list 0" { return true }
      _ = try other.line()
      server.advance(seconds: 1)
      seconds += 1
      return false
    }
    #expect(try client.rest() == [])
    #expect(seconds < 10)
  }

  @Test("an expression has so many bytes and is so deep")
  func expressions() throws {
    let (server, client) = try client { _ in }
    let long = "SUB [" + String(repeating: "1, ", count: 6000) + "1].publisher"
    #expect(try client.ask(long).hasPrefix("ERR syntax "))
    _ = try client.lines(2)
    let deep = String(repeating: "(", count: 70) + "1" + String(repeating: ")", count: 70)
    #expect(try client.ask("SUB Just(\(deep))").hasPrefix("ERR syntax "))
    withExtendedLifetime(server) {}
  }

  @Test("a name has 128 bytes")
  func name() throws {
    let (server, client) = try client { _ in }
    let longest = String(repeating: "n", count: 128)
    #expect(try client.ask("SUBJECT \(longest)").hasPrefix("OK subject "))
    #expect(try client.ask("SUBJECT \(longest)n").hasPrefix("ERR usage "))
    withExtendedLifetime(server) {}
  }
}
