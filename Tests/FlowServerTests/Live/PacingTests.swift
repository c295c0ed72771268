import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("What one client costs is spread over turns")
struct PacingTests {
  @Test(
    "runs in a row, however many, pass values and the end on",
    arguments: ["", " flow=slowest"]
  )
  func chain(_ flow: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    let count = 1_000
    try client.say("HELLO 1")
    _ = try client.line()
    for number in 0...count { #expect(try client.ask("SUBJECT s\(number)\(flow)").hasPrefix("OK")) }
    for number in 0..<count {
      let run = "RUN r\(number) = s\(number).map { $0 + 1 }.subscribe(s\(number + 1))"
      #expect(try client.ask(run) == "OK run r\(number)")
    }
    #expect(try client.ask("SUB s\(count) 9") == "OK sub 1 s\(count) demand=9")
    try client.say("SEND s0 1", "SEND s0 2")
    var lines = try client.lines(4)
    try client.say("DONE s0")
    lines += try client.lines(2)
    let values = lines.filter { !$0.hasPrefix("OK") }
    #expect(values == ["= 1 \(count + 1)", "= 1 \(count + 2)", "DONE 1"])
  }

  @Test("a failure and a DELETE go through runs in a row as well")
  func failures() throws {
    let server = try TestServer()
    let client = try server.connect()
    for number in 0...40 { _ = try client.ask("SUBJECT s\(number)") }
    for number in 0..<40 {
      _ = try client.ask("RUN r\(number) = s\(number).subscribe(s\(number + 1))")
    }
    _ = try client.ask("SUB s40 9")
    try client.say("DELETE s0")
    let lines = try client.lines(2)
    #expect(lines.contains("OK delete s0"))
    #expect(lines.contains("FAIL 1 deleted subject s0 was deleted"))
  }

  @Test("lines that take long wait for later turns, in order and with all their answers")
  func slices() throws {
    var configuration = Configuration()
    configuration.pipelines.slice = 1
    let server = try TestServer(configuration)
    let client = try server.connect()
    let other = try server.connect()
    try client.say("HELLO 1")
    _ = try client.line()
    let lines = (1...2_000).map { "EXPLAIN Just(\($0)).map { $0 + 1 }\nPING \($0)" }
    try client.say(lines.joined(separator: "\n"))
    #expect(try other.ask("PING") == "PONG")
    let pongs = try client.rest(until: "PONG 2000").filter { $0.hasPrefix("PONG") }
    #expect(pongs == (1...2_000).map { "PONG \($0)" })
  }

  @Test("values and lines of a FEED that wait for later turns all arrive")
  func values() throws {
    var configuration = Configuration()
    configuration.pipelines.slice = 1
    let server = try TestServer(configuration)
    let client = try server.connect()
    let reader = try server.connect()
    _ = try client.ask("SUBJECT a")
    try reader.say("HELLO 1", "SUB a.map { $0 + 1 } max window=4MiB")
    _ = try reader.lines(2)
    try client.say("HELLO 1", "PUB a as=9", (1...5_000).map { "= 9 \($0)" }.joined(separator: "\n"))
    for number in 1...5_000 { #expect(try reader.line() == "= 1 \(number + 1)") }
    try client.say("DONE 9", "FEED a", (1...5_000).map { "\($0)" }.joined(separator: "\n"), ".")
    for number in 1...5_000 { #expect(try reader.line() == "= 1 \(number + 1)") }
  }

  @Test("a value that runs multiply is spread over turns")
  func multiplied() throws {
    var configuration = Configuration()
    configuration.pipelines.slice = 1
    let server = try TestServer(configuration)
    let client = try server.connect()
    let reader = try server.connect()
    let count = 14
    for number in 0..<count { _ = try client.ask("SUBJECT s\(number)") }
    for from in 0..<count {
      for to in 0..<count where to > from {
        let run = "RUN r\(from)-\(to) = s\(from).assign(to: s\(to))"
        #expect(try client.ask(run).hasPrefix("OK run"))
      }
    }
    // As many ways lead to the last one.
    let all = 1 << (count - 2)
    _ = try reader.ask("TAKE s\(count - 1).output(at: \(all - 1)) 1")
    let turns = server.server.perform { $0.counters.turns }
    try client.say("SEND s0 1")
    #expect(try reader.lines(2) == ["= 1 1", "DONE 1"])
    #expect(server.server.perform { $0.counters.turns } - turns > all / 64)
    #expect(try client.line().hasPrefix("OK send s0 to=13"))
  }

  @Test("a circle of runs is found however the runs came and went")
  func circles() throws {
    let server = try TestServer()
    let client = try server.connect()
    for name in ["a", "b", "c"] { _ = try client.ask("SUBJECT \(name)") }
    #expect(try client.ask("RUN ab = a.assign(to: b)") == "OK run ab")
    #expect(try client.ask("RUN bc = b.assign(to: c)") == "OK run bc")
    #expect(try client.ask("RUN ca = c.assign(to: a)").hasPrefix("ERR cycle"))
    #expect(try client.linesSoFar() == [])
    #expect(try client.ask("DELETE ab") == "OK delete ab")
    #expect(try client.ask("RUN ca = c.assign(to: a)") == "OK run ca")
    #expect(try client.ask("RUN ab = a.assign(to: b)").hasPrefix("ERR cycle"))
  }

  @Test(
    "words that are too long to be any are refused as they are",
    .timeLimit(.minutes(5)),
    arguments: [
      "HELP a", "a", "HELLO 1 a", "HELLO 1 name=a", "SHOW a", "LIST a", "QUIT a", "SUB a", "REQ a",
      "REQ 1", "EXPLAIN Just(\"a", "SUBJECT s current \"a", "@a", "DELETE a", "FEED a", "TAIL a",
      "PIPELINE p = a", "SEND a", "TAKE orders 1a", "STATS a", "PING a", "SERVE a 1",
    ]
  )
  func marks(_ line: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    let marks = String(repeating: "\u{301}\u{316}", count: 12_000)
    #expect(try client.ask(line + marks).hasPrefix("ERR"))
    let word = String(repeating: "x", count: 60_000)
    if line == "HELP a" { #expect(try client.ask("HELP \(word)").hasPrefix("ERR usage")) }
  }
}
