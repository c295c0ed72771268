import FlowNATSSupport
import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("Dead letters of runs in NATS")
struct SharedDeadLetterTests {
  private static let run = "RUN r failed=bad = a.map { $0 * 2 }.assign(to: b)"

  private func start() throws -> PlayedServer {
    try PlayedServer(
      lines: "SUBJECT a flow=slowest on=nats",
      "SUBJECT b flow=slowest on=nats",
      "SUBJECT bad on=nats"
    )
  }

  /// Sends values, and lets what they cause come to rest.
  private func send(_ play: PlayedServer, _ client: TestClient, _ values: [String]) throws {
    try play.say(client, values.map { "SEND a \($0)" }.joined(separator: "\n"))
    for line in try client.lines(values.count) { #expect(line.hasPrefix("OK send a ")) }
    play.settle()
  }

  private func letter(_ value: String) -> String {
    "{\"value\":\(value),\"stage\":\"map { $0 * 2 }\","
      + "\"reason\":\"cannot apply \\\"*\\\" to String and Int\"}"
  }

  @Test("of an exact run are stored before their inputs are acknowledged")
  func acknowledged() throws {
    let play = try start()
    let client = try play.framed()
    #expect(try client.ask(Self.run) == "OK run r resume=exact")
    play.settle()
    #expect(play.play { $0.streams["flow_NAMES"]?.messages.last?.text } == Self.run)
    play.fail("PUBLISH flow_bad", .refused(0), .lost, .unanswered)
    try send(play, client, ["\"x\"", "1"])
    play.advance(seconds: 1)
    #expect(play.stored("b") == ["2"])
    #expect(play.takeRequests("ACK").isEmpty)
    play.advance(seconds: 6)
    #expect(play.stored("bad") == [letter("\"x\"")])
    #expect(play.takeRequests("ACK") == ["ACK 2"])
    #expect(try client.ask("LIST runs").contains(" values=1 missed=1 failed=1 "))
  }

  @Test("of a server that died are stored once where the run goes on")
  func takesOver() throws {
    let play = try start()
    let client = try play.framed(Self.run)
    try send(play, client, ["1"])
    play.play { $0.steal("r") }
    play.advance(seconds: 4)
    try send(play, client, ["\"x\"", "\"y\"", "3"])
    #expect(play.stored("bad") == [])
    let first = letter("\"x\"")
    // The other one has stored the first letter, and acknowledged nothing.
    play.play { nats in
      nats.put(first, into: "bad")
      nats.streams["flow_bad"]?.ids["r.\(nats.definition(of: "r")).failed.2"] = 1
    }
    play.advance(seconds: 12)
    #expect(play.stored("bad") == [first, letter("\"y\"")])
    #expect(play.stored("b") == ["2", "6"])
  }

  @Test("of a run that ends with one are stored before the others hear of its end")
  func ends() throws {
    let play = try start()
    let client = try play.framed("RUN r failed=bad = a.tryMap { $0 * 2 }.assign(to: b)")
    play.settle()
    play.fail("PUBLISH flow_bad", .lost)
    try send(play, client, ["\"x\""])
    play.advance(seconds: 1)
    let last = { play.play { $0.streams["flow_NAMES"]?.messages.last?.text ?? "" } }
    #expect(!last().contains("\nfail "))
    play.advance(seconds: 9)
    #expect(play.stored("bad").count == 1)
    #expect(last().contains("\nfail "))
  }

  @Test("hold back a run that makes only letters, until they are stored")
  func heldBack() throws {
    let play = try start()
    let client = try play.framed(Self.run)
    play.settle()
    play.play { $0.faults["PUBLISH flow_bad"] = Array(repeating: .lost, count: 100) }
    for _ in 1...10 { try send(play, client, Array(repeating: "\"x\"", count: 70)) }
    let given = play.play { $0.streams["flow_a"]?.consumers.values.first?.given ?? 0 }
    #expect((1..<700).contains(given))
    play.play { $0.faults = [:] }
    for _ in 0..<60 where play.stored("bad").count < 700 { play.advance(seconds: 1) }
    #expect(play.stored("bad").count == 700)
  }

  @Test("are acknowledged with resume=again when they are stored")
  func again() throws {
    let play = try start()
    let run = "RUN r failed=bad = a.flatMap { Just($0).map { $0 * 2 } }.assign(to: b)"
    let client = try play.framed()
    #expect(try client.ask(run) == "OK run r resume=again")
    play.settle()
    play.fail("PUBLISH flow_bad", .lost)
    try send(play, client, ["\"x\""])
    play.advance(seconds: 1)
    #expect(play.takeRequests("ACK").isEmpty)
    play.advance(seconds: 9)
    #expect(play.stored("bad") == [letter("\"x\"")])
    #expect(play.takeRequests("ACK") == ["ACK 1"])
  }

  @Test("go to a subject in NATS, and the run fails without it")
  func deleted() throws {
    let play = try start()
    let client = try play.framed("SUBJECT here")
    let refusal = try client.ask("RUN r failed=here = a.map { $0 * 2 }.assign(to: b)")
    #expect(refusal.hasPrefix("ERR usage "))
    #expect(refusal.contains("failed=here needs a subject in NATS"))
    #expect(try client.ask(Self.run) == "OK run r resume=exact")
    play.settle()
    #expect(try client.ask("DELETE bad") == "OK delete bad")
    play.advance(seconds: 1)
    #expect(try client.ask("LIST runs").contains(" state=failed "))
  }

  @Test("of a run of one server may go to a subject of that server, whatever the target")
  func ofOneServer() throws {
    let play = try start()
    let client = try play.framed("SUBJECT own", "SUBJECT here current 0")
    #expect(try client.ask("RUN r failed=here = own.map { $0 * 2 }.assign(to: b)") == "OK run r")
    #expect(try client.ask("SEND own \"x\"").hasPrefix("OK send own "))
    #expect(try client.ask("TAKE here 1") == "OK take 1 here demand=1")
    #expect(try client.line() == "= 1 \(letter("\"x\""))")
  }
}
