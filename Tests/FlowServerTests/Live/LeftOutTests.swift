import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("Values that a closure has no answer for")
struct LeftOutTests {
  @Test("are reported with the end of the turn, and the stream goes on")
  func drop() throws {
    let server = try TestServer()
    let client = try server.connect()
    let sender = try server.connect()
    _ = try sender.ask("SUBJECT taps")
    #expect(try client.ask("SUB taps.map { $0 * 2 } 2") == "OK sub 1 - demand=2")
    #expect(try sender.ask("SEND taps \"x\"") == "OK send taps to=1 missed=0")
    #expect(try client.line() == "DROP 1 1 failed")
    _ = try sender.ask("SEND taps 4")
    #expect(try client.line() == "= 1 8")
    #expect(try client.ask("CANCEL 1") == "OK cancel 1 values=1 missed=0 undelivered=0")
  }

  @Test("are in SHOW and LIST, the last one with the reason")
  func rows() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("PIPELINE twice = taps.map { $0 * 2 }")
    _ = try client.ask("SUB twice 2")
    let sender = try server.connect()
    _ = try sender.ask("SEND taps \"x\"")
    server.advance(seconds: 2.5)
    try sender.say("SHOW twice")
    let rows = try sender.rest { $0.hasPrefix("OK show") }
    let stage =
      "* stage 1 map { $0 * 2 } in=1 out=0 dropped=1 failed=1 held=0 consumed=0 demand=2"
    #expect(rows.contains(stage), "\(rows)")
    let last =
      "* left-out ago=2500ms map { $0 * 2 }: cannot apply \"*\" to String and Int; the value is \"x\""
    #expect(rows.contains(last), "\(rows)")
    #expect(rows.contains { $0.hasPrefix("* stream ") && $0.contains(" missed=1 failed=1") })
    try sender.say("STATS twice")
    let metrics = try sender.rest { $0.hasPrefix("OK stats") }
    let metric =
      "* flow_stage_dropped_values_total{pipeline=\"twice\",stage=\"1\",op=\"map\",reason=\"failed\"} 1"
    #expect(metrics.contains(metric), "\(metrics)")
  }

  @Test("before a share are reported to each of its subscribers")
  func share() throws {
    let server = try TestServer()
    let clients = [try server.connect(), try server.connect()]
    let sender = try server.connect()
    _ = try sender.ask("SUBJECT taps")
    _ = try sender.ask("PIPELINE twice = taps.map { $0 * 2 }.share()")
    for client in clients { _ = try client.ask("SUB twice 2") }
    _ = try sender.ask("SEND taps \"x\"")
    for client in clients { #expect(try client.line() == "DROP 1 1 failed") }
  }

  @Test("do not stop a run, which counts them")
  func run() throws {
    let server = try TestServer()
    let client = try server.connect()
    for name in ["taps", "sums"] { _ = try client.ask("SUBJECT \(name)") }
    #expect(try client.ask("RUN r = taps.scan(0) { $0 + $1 }.assign(to: sums)") == "OK run r")
    for value in ["1", "\"x\"", "2"] { _ = try client.ask("SEND taps \(value)") }
    try client.say("LIST runs")
    let row = try #require(client.rest { $0.hasPrefix("OK list") }.first)
    #expect(row.contains(" state=running values=2 missed=1 failed=1 "), "\(row)")
  }

  @Test("are told in $events once a second for each stage")
  func events() throws {
    let server = try TestServer()
    let client = try server.connect()
    let sender = try server.connect()
    _ = try sender.ask("SUBJECT taps")
    let events = "$events.filter { $0.event == \"values-left-out\" }"
    _ = try client.ask("SUB \(events).map { $0[\"count\"] } max")
    _ = try sender.ask("SUB taps.map { $0 * 2 } max")
    for _ in 0..<3 { try sender.say("SEND taps x") }
    #expect(try client.line() == "= 1 1")
    server.advance(seconds: 1.5)
    try sender.say("SEND taps x")
    #expect(try client.line() == "= 1 3")
  }
}

@Suite("Dead letters of a run")
struct DeadLetterTests {
  private func ask(_ client: TestClient, _ lines: String...) throws {
    for line in lines { #expect(try client.ask(line).hasPrefix("OK "), "\(line)") }
  }

  @Test("have the value, the stage and the reason, and the run goes on")
  func letters() throws {
    let server = try TestServer()
    let client = try server.connect()
    try ask(client, "SUBJECT taps", "SUBJECT sums current 0", "SUBJECT bad replay 10")
    try ask(client, "RUN r failed=bad = taps.scan(0) { $0 + $1.n }.assign(to: sums)")
    for value in ["{\"n\":1}", "{\"m\":7}", "{\"n\":2}"] { try ask(client, "SEND taps \(value)") }
    #expect(try client.ask("TAKE bad 1") == "OK take 1 bad demand=1")
    let letter = try client.line()
    #expect(letter.hasPrefix("= 1 {\"value\":{\"m\":7},\"stage\":\"scan(0) { $0 + $1.n }\","))
    #expect(letter.contains("\"reason\":\"cannot apply"))
    #expect(try client.line() == "DONE 1")
    #expect(try client.ask("TAKE sums 1") == "OK take 2 sums demand=1")
    #expect(try client.line() == "= 2 3")
  }

  @Test("have what a stage with try has failed on")
  func trying() throws {
    let server = try TestServer()
    let client = try server.connect()
    try ask(client, "SUBJECT taps", "SUBJECT sums", "SUBJECT bad current 0")
    try ask(client, "RUN r failed=bad = taps.tryMap { $0 * 2 }.assign(to: sums)", "SEND taps \"x\"")
    #expect(try client.ask("TAKE bad 1") == "OK take 1 bad demand=1")
    #expect(try client.line().hasPrefix("= 1 {\"value\":\"x\",\"stage\":\"tryMap { $0 * 2 }\","))
  }

  @Test("that the subject has no room for are counted, and those that wait when it is deleted")
  func lost() throws {
    let server = try TestServer()
    let client = try server.connect()
    try ask(client, "SUBJECT taps", "SUBJECT sums", "SUBJECT bad flow=slowest")
    try ask(client, "RUN r failed=bad = taps.map { $0 * 2 }.assign(to: sums)")
    func lost() throws -> String? {
      try client.say("LIST runs")
      let row = try client.rest { $0.hasPrefix("OK list") }.first
      return row?.split(separator: " ").first { $0.hasPrefix("lost-letters=") }.map(String.init)
    }
    for _ in 0..<64 { try ask(client, "SEND taps x") }
    #expect(try lost() == nil)
    for _ in 0..<6 { try ask(client, "SEND taps x") }
    #expect(try lost() == "lost-letters=6")
    try client.say("STATS r")
    let metrics = try client.rest { $0.hasPrefix("OK stats") }
    #expect(metrics.contains("* flow_run_lost_letters_total{run=\"r\"} 6"), "\(metrics)")
    try ask(client, "DELETE bad")
    #expect(try lost() == "lost-letters=70")
    try ask(client, "SEND taps x")
    #expect(try lost() == "lost-letters=71")
  }

  @Test("that wait when their subject is told to complete go out before it does")
  func completed() throws {
    let server = try TestServer()
    let client = try server.connect()
    try ask(client, "SUBJECT taps", "SUBJECT sums", "SUBJECT bad flow=slowest")
    try ask(client, "RUN r failed=bad = taps.map { $0 * 2 }.assign(to: sums)", "SEND taps x")
    try ask(client, "DONE bad")
    #expect(try client.ask("TAKE bad 2") == "OK take 1 bad demand=2")
    #expect(try client.line().hasPrefix("= 1 {\"value\":\"x\","))
    #expect(try client.line() == "DONE 1")
    try client.say("LIST runs")
    let rows = try client.rest { $0.hasPrefix("OK list") }
    #expect(rows.contains { $0.contains(" failed=1 ") && !$0.contains("lost-letters") })
  }

  @Test("go to a subject that the run does not read, and that there is")
  func refusals() throws {
    let server = try TestServer()
    let client = try server.connect()
    try ask(client, "SUBJECT taps", "SUBJECT sums")
    let expression = "taps.map { $0 }.assign(to: sums)"
    #expect(
      try client.ask("RUN r failed=taps = \(expression)")
        == "ERR cycle r would feed itself: taps → taps"
    )
    #expect(try client.ask("RUN r failed=bad = \(expression)").hasPrefix("ERR unknown-name "))
    #expect(try client.ask("RUN r failed=$events = \(expression)").hasPrefix("ERR usage "))
  }

  @Test("stay in the definition")
  func definition() throws {
    let server = try TestServer()
    let client = try server.connect()
    try ask(client, "SUBJECT taps", "SUBJECT sums", "SUBJECT bad")
    let run = "RUN r restart=1s failed=bad = taps.map { $0 }.assign(to: sums)"
    try ask(client, run, run)
    try client.say("SHOW r")
    let rows = try client.rest { $0.hasPrefix("OK show") }
    #expect(rows.first == "* definition \(run)")
  }
}
