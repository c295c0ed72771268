import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

/// Many values in one read, which the server hands on together.
@Suite("Values that come together")
struct BatchTests {
  private let values = (0..<3000).map { "value \($0)" }

  private func send(_ values: [String], on publisher: TestClient) throws {
    try publisher.send(Array(values.map { "= 1 \($0)\n" }.joined().utf8))
  }

  @Test("reach each subscriber as far as it has asked, and the rest is counted")
  func free() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a")
    let publisher = try server.framed()
    let all = try server.framed()
    let same = try server.framed()
    let some = try server.framed()
    let raw = try server.framed()
    _ = try all.ask("SUB a max as=1")
    _ = try same.ask("SUB a 5000 as=1")
    try some.say("SUB a 10", "TAKE a 1500 as=77", "SUB a as=9007199254740992", "TAKE a 2000 as=5")
    _ = try some.lines(4)
    try raw.say("TAIL a")
    _ = try publisher.ask("PUB a as=1")
    try publisher.say("LIST streams")
    _ = try publisher.rest(until: "OK list 8")
    try send(values, on: publisher)
    #expect(try all.lines(3000) == values.map { "= 1 \($0)" })
    #expect(try same.lines(3000) == values.map { "= 1 \($0)" })
    #expect(try raw.lines(3000) == values)
    let lines = try some.linesSoFar()
    #expect(TestClient.values(1, in: lines) == Array(values[..<10]))
    #expect(TestClient.values(77, in: lines) == Array(values[..<1500]))
    #expect(lines.contains("DONE 77"))
    #expect(try some.ask("CANCEL 1") == "OK cancel 1 values=10 missed=2990 undelivered=0")
    #expect(
      try some.ask("CANCEL 9007199254740992")
        == "OK cancel 9007199254740992 values=0 missed=3000 undelivered=0"
    )
    let row = try publisher.ask("LIST subjects")
    #expect(
      row
        == "* subject a passthrough flow=free subscriptions=3 publications=1 published=3000"
        + " delivered=12510 missed=5990 waiting=0"
    )
  }

  @Test("never go beyond what a lossless subject has granted", arguments: [1, 64, 1000])
  func lossless(grant: Int) throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a flow=slowest")
    let publisher = try server.framed()
    let client = try server.framed()
    _ = try publisher.ask("PUB a as=1 grant=\(grant) over=hold")
    try client.say("SUB a 700 as=1", "SUB a.map { $0 } 5000")
    _ = try client.lines(2)
    try send(values, on: publisher)
    var lines = try client.lines(untilValues: [1: 700])
    lines += try client.linesSoFar()
    #expect(TestClient.values(1, in: lines) == Array(values[..<700]))
    #expect(TestClient.values(2, in: lines).count == 700)
    try client.say("REQ 1 max")
    lines = try client.lines(lines, untilValues: [1: 3000])
    #expect(TestClient.values(1, in: lines) == values)
  }

  @Test(
    "wait for the next subscription of a lossless subject if the last one leaves in their midst",
    arguments: ["a.prefix(while: { $0 < 5 })", "a.prefix(6)", "a.filter { $0 > 4 }.prefix(1)"]
  )
  func last(_ pipeline: String) throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a flow=slowest")
    let publisher = try server.framed()
    let client = try server.framed()
    _ = try client.ask("SUB \(pipeline) 30 as=1")
    _ = try publisher.ask("PUB a as=1 over=hold")
    let numbers = (0..<30).map { "\($0)" }
    try send(numbers, on: publisher)
    _ = try client.rest(until: "DONE 1")
    try client.say("SUB a 30 as=2")
    #expect(try client.lines(25) == ["OK sub 2 a demand=30"] + numbers[6...].map { "= 2 \($0)" })
  }

  @Test("with a CR inside go out counted, in their place")
  func lineBreaks() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a")
    let publisher = try server.framed()
    let client = try server.framed()
    _ = try client.ask("SUB a max")
    _ = try publisher.ask("PUB a as=1")
    try send(["a", "b", "c\rd", "e", "f"], on: publisher)
    #expect(
      try client.lines(6) == ["= 1 a", "= 1 b", ": 1 3", "c\rd", "= 1 e", "= 1 f"]
    )
  }
}
