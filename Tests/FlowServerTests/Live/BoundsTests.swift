import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("Bounds of pipelines, on the wire")
struct BoundsTests {
  @Test(
    "a pipeline without an end leaves the server to the others",
    .timeLimit(.minutes(10)),
    arguments: [
      "(1...1000000000000).publisher.filter { $0 < 0 }",
      "(1...1000000000000).publisher.reduce(0) { $0 + 1 }",
      "(1...1000000000000).publisher.flatMap { (1...1000000).publisher }.filter { false }",
      "Fail(\"no\").retry(1000000000000)",
      "orders.retry(1000000000000)",
      "(1...1000000000000).publisher.map { ((0...9999)).count }.filter { $0 < 0 }",
    ]
  )
  func endless(_ text: String) throws {
    let server = try TestServer()
    let bystander = try server.connect()
    _ = try bystander.ask("SUBJECT orders")
    _ = try bystander.ask("FAIL orders no")
    let client = try server.connect()
    try client.say("HELLO 1", "SUB \(text) 1")
    #expect(try client.lines(2) == ["OK hello 1", "OK sub 1 - demand=1"])
    for number in 1...RandomCases.count(50) {
      #expect(try bystander.ask("PING \(number)") == "PONG \(number)")
      #expect(try client.ask("PING \(number)") == "PONG \(number)")
    }
    #expect(try client.ask("CANCEL 1") == "OK cancel 1 values=0 missed=0 undelivered=0")
    #expect(try bystander.ask("LIST streams") == "OK list 0")
  }

  @Test("a RUN without an end is stopped by DELETE", .timeLimit(.minutes(10)))
  func endlessRun() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT sums")
    let text = "(1...1000000000000).publisher.filter { $0 < 0 }.subscribe(sums)"
    #expect(try client.ask("RUN hog = \(text)") == "OK run hog")
    for number in 1...RandomCases.count(50) {
      #expect(try client.ask("PING \(number)") == "PONG \(number)")
    }
    #expect(try client.ask("DELETE hog") == "OK delete hog")
  }

  @Test("a value that a pipeline makes too long is not sent", .timeLimit(.minutes(10)))
  func longValue() throws {
    var configuration = Configuration()
    configuration.valueLimit = 1000
    let server = try TestServer(configuration)
    let client = try server.connect()
    try client.say("HELLO 1", "SUBJECT a", "SUBJECT b", "SUB a.map { \"\\($0)\\($0)\" } 9")
    try client.say("RUN twice = a.map { \"\\($0)\\($0)\" }.assign(to: b)", "SEND a 1")
    #expect(
      try client.lines(7).suffix(3) == ["OK run twice", "= 1 \"11\"", "OK send a to=2 missed=0"]
    )
    try client.say("SEND a " + String(repeating: "x", count: 500), "LIST runs")
    let lines = try client.lines(4)
    #expect(lines[0] == "FAIL 1 limit the value has 1002 bytes; the limit is 1000 bytes")
    #expect(lines[1] == "OK send a to=2 missed=0")
    #expect(lines[2].contains(" state=failed values=2 "))
    try client.say("SHOW twice")
    let failure = try client.rest(until: "OK show twice").dropLast().last
    #expect(failure == "* failure limit the value has 1002 bytes; the limit is 1000 bytes")
  }

  @Test("what waits in a pipeline takes so much memory at most", .timeLimit(.minutes(10)))
  func memory() throws {
    var configuration = Configuration()
    // The pipeline takes some of it for itself.
    configuration.pipelines.holdLimit = 11_400
    let server = try TestServer(configuration)
    let client = try server.connect()
    try client.say("HELLO 1", "SUBJECT a", "SUB a.delay(for: 5) max")
    _ = try client.lines(3)
    let value = String(repeating: "x", count: 1000)
    for _ in 1...10 { try client.say("SEND a \(value)") }
    #expect(try client.lines(10).last == "OK send a to=1 missed=0")
    #expect(try client.ask("SEND a \(value)") == "OK send a to=0 missed=0")
    // The failure comes after the values before it.
    server.advance(seconds: 5)
    let failure = "FAIL 1 limit delay would exceed the limit of 11400 bytes"
    #expect(try client.lines(10) == Array(repeating: "= 1 \(value)", count: 9) + [failure])
  }
}
