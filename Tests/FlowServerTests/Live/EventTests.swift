import FlowServerSupport
import FlowTestSupport
import Foundation
import FlowSubjects
import Testing

@testable import FlowServer

@Suite("$events and $stats")
struct EventTests {
  /// What a client is told next, without the frame and the time.
  private func event(_ client: TestClient) throws -> String {
    let line = try client.line()
    return line.components(separatedBy: ",\"time\":")[0].replacing("= 1 ", with: "")
  }

  private func watcher(_ server: TestServer, _ expression: String = "$events") throws -> TestClient
  {
    let client = try server.connect()
    #expect(try client.ask("SUB \(expression) max").hasPrefix("OK sub 1 "))
    return client
  }

  @Test("tells of clients, names and streams as they come and go")
  func life() throws {
    let server = try TestServer()
    let watcher = try watcher(server)
    let client = try server.connect()
    #expect(
      try event(watcher).hasPrefix("{\"event\":\"connected\",\"client\":2,\"peer\":\"127.0.0.1:")
    )
    try client.say(
      "SUBJECT taps",
      "PIPELINE tens = taps.map { $0 * 10 }",
      "SUB tens 1",
      "SEND taps 1",
      "SEND taps 2",
      "SEND taps 3",
      "CANCEL 1",
      "PUB taps as=9",
      "DONE 9",
      "SUB taps 1",
      "DONE taps",
      "DELETE taps",
      "QUIT"
    )
    let expected = [
      "\"defined\",\"kind\":\"subject\",\"name\":\"taps\"",
      "\"defined\",\"kind\":\"pipeline\",\"name\":\"tens\"",
      "\"opened\",\"client\":2,\"id\":1,\"kind\":\"subscription\",\"name\":\"tens\"",
      "\"missing\",\"client\":2,\"id\":1,\"name\":\"tens\",\"reason\":\"no-demand\"",
      "\"ended\",\"client\":2,\"id\":1,\"name\":\"tens\",\"reason\":\"cancel\"",
      "\"opened\",\"client\":2,\"id\":9,\"kind\":\"publication\",\"name\":\"taps\"",
      "\"ended\",\"client\":2,\"id\":9,\"name\":\"taps\",\"reason\":\"done\"",
      "\"opened\",\"client\":2,\"id\":10,\"kind\":\"subscription\",\"name\":\"taps\"",
      "\"completed\",\"name\":\"taps\",\"reason\":\"done\"",
      "\"ended\",\"client\":2,\"id\":10,\"name\":\"taps\",\"reason\":\"done\"",
      "\"deleted\",\"kind\":\"subject\",\"name\":\"taps\"",
      "\"closed\",\"client\":2,\"reason\":\"quit\"",
    ]
    for text in expected { #expect(try event(watcher) == "{\"event\":" + text) }
    client.close()
  }

  @Test("tells of a subscription that is too slow, and of a run that fails")
  func failures() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT orders flow=slowest stall=1s")
    _ = try client.ask("SUBJECT sums")
    try client.say("SUB orders 5", "SUB orders 1")
    _ = try client.lines(2)
    let watcher = try watcher(
      server,
      "$events.filter { $0.event == \"ended\" || $0.event == \"stopped\" }.map { $0.reason }"
    )
    try client.say("SEND orders 1", "SEND orders 2")
    #expect(try client.lines(3).last == "OK send orders to=2 missed=0")
    server.advance(seconds: 1.5)
    #expect(try watcher.line() == "= 1 \"too-slow\"")
    _ = try client.ask("RUN bad = sums.tryMap { $0.a + 1 }.assign(to: orders)")
    try client.say("SEND sums 5")
    #expect(try watcher.line() == "= 1 \"stage\"")
  }

  @Test("is a subject as others are, with demand and misses")
  func demand() throws {
    let server = try TestServer()
    let watcher = try server.connect()
    _ = try watcher.ask("SUB $events.filter { $0.event == \"defined\" }.map { $0.name } 2")
    let client = try server.connect()
    // What it misses first is an event, too.
    for name in ["a", "b", "c", "d"] { _ = try client.ask("SUBJECT \(name)") }
    #expect(try watcher.lines(2) == ["= 1 \"a\"", "= 1 \"b\""])
    try watcher.say("REQ 1 1", "SUBJECT e")
    #expect(
      try watcher.lines(4) == [
        "OK req 1 demand=1", "OK subject e passthrough flow=free", "DROP 1 3 no-demand",
        "= 1 \"e\"",
      ]
    )
  }

  @Test("nobody may send to it, define it or end it", arguments: ["$events", "$stats"])
  func denied(_ name: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    for line in [
      "SEND \(name) 1", "PUB \(name)", "FEED \(name)", "DONE \(name)", "FAIL \(name) x",
      "DELETE \(name)", "SUBJECT \(name)", "PIPELINE \(name) = taps",
      "RUN x = taps.assign(to: \(name))", "RUN \(name) = taps.assign(to: taps)",
    ] {
      #expect(try client.ask(line).hasPrefix("ERR denied \(name) belongs to the server"), "\(line)")
      guard line.hasPrefix("FEED") else { continue }
      try client.say(".")
      _ = try client.lines(2)
    }
    #expect(
      try client.ask("LIST")
        == "* subject taps passthrough flow=free subscriptions=0 publications=0 published=0 delivered=0 missed=0 waiting=0"
    )
    _ = try client.line()
    try client.say("SHOW \(name)")
    #expect(try client.line() == "* definition SUBJECT \(name) passthrough flow=free")
    #expect(try client.rest(until: "OK show \(name)").count == 2)
    #expect(try client.ask("SUB $evens 1").hasSuffix("did you mean $events?"))
  }

  @Test("$stats tells once a second what has changed, while somebody asks")
  func stats() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("SUB $stats 2")
    server.advance(seconds: 0.9)
    #expect(try client.linesSoFar() == [])
    server.advance(seconds: 0.2)
    let first = try client.line()
    #expect(first.hasPrefix("= 1 {\"flow_build_info\":{"))
    #expect(first.contains("\"flow_connections\":1,"))
    #expect(first.contains("\"flow_names\":{\"subject\":1,\"pipeline\":0,\"run\":0}"))
    _ = try client.ask("SEND taps 1")
    server.advance(seconds: 1)
    let second = try client.line()
    #expect(!second.contains("flow_build_info") && !second.contains("\"flow_connections\""))
    #expect(second.contains("\"flow_values_total\":{\"in\":1,\"out\":1}"))
    server.advance(seconds: 5)
    #expect(try client.linesSoFar() == [])
    _ = try client.ask("REQ 1 5")
    server.advance(seconds: 1)
    #expect(try client.line().hasPrefix("= 1 {\"flow_build_info\":{"))
    _ = try client.ask("SUB $stats.map { $0.flow_streams.subscription } 1")
    server.advance(seconds: 1)
    #expect(try client.lines(2).last == "= 2 2")
  }

  @Test("a server without subscriptions to them has nothing to do for them")
  func idle() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("SUB $stats")
    _ = try client.line()
    server.advance(seconds: 3)
    let (published, hasEvents) = server.server.perform { engine in
      (engine.ownSubjects.all.reduce(0) { $0 + $1.published }, engine.turn.hasEvents)
    }
    #expect(published == 0 && !hasEvents)
  }
}
