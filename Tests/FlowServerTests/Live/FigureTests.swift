import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("Figures of running pipelines")
struct FigureTests {
  /// The rows of `SHOW` whose first word is `kind`, without it.
  private func rows(_ kind: String, of name: String, _ client: TestClient) throws -> [String] {
    try client.say("SHOW \(name)")
    return try client.rest(until: "OK show \(name)").filter { $0.hasPrefix("* \(kind) ") }
      .map { String($0.dropFirst(kind.count + 3)) }
  }

  private func slow(_ server: TestServer) throws -> TestClient {
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask(
      "PIPELINE slow = taps.map { $0 }.flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 2) }"
    )
    return client
  }

  @Test("count each stage of all subscriptions by the name")
  func stages() throws {
    let server = try TestServer()
    let client = try slow(server)
    let other = try server.connect()
    _ = try client.ask("SUB slow 1")
    _ = try other.ask("SUB slow 5")
    _ = try other.ask("SUB slow.map { $0 } 5")
    for value in 1...3 { _ = try client.ask("SEND taps \(value)") }
    server.advance(seconds: 2)
    _ = try client.linesSoFar()
    #expect(
      try rows("stage", of: "slow", client) == [
        "0 taps in=6 out=4 dropped=2 held=0 consumed=0 demand=3",
        "1 map { $0 } in=4 out=4 dropped=0 held=0 consumed=0 demand=3",
        "2 flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 2) }"
          + " in=4 made=4 out=3 dropped=0 held=1 consumed=4 publishers=1 demand=3",
      ]
    )
    #expect(
      try rows("stream", of: "slow", client) == [
        "client=1 id=1 demand=0 values=1 missed=1 stalled=0ms",
        "client=2 id=1 demand=3 values=2 missed=1",
      ]
    )
    server.advance(seconds: 1.5)
    try client.say("LIST streams")
    #expect(
      try client.line()
        == "* stream client=1 id=1 name=slow demand=0 values=1 missed=1 stalled=1500ms"
    )
  }

  @Test("keep what ended subscriptions have counted, and what was inside them")
  func ended() throws {
    let server = try TestServer()
    let client = try slow(server)
    _ = try client.ask("SUB slow 1")
    for value in 1...3 { _ = try client.ask("SEND taps \(value)") }
    server.advance(seconds: 2)
    #expect(try client.lines(2) == ["DROP 1 1 no-demand", "= 1 1"])
    _ = try client.ask("CANCEL 1")
    #expect(
      try rows("stage", of: "slow", client).last
        == "2 flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 2) }"
        + " in=2 made=2 out=1 dropped=0 held=0 consumed=2 left=1 publishers=0 demand=0"
    )
    _ = try client.ask("DELETE slow")
    _ = try client.ask("PIPELINE slow = taps.map { $0 }")
    #expect(
      try rows("stage", of: "slow", client).first
        == "0 taps in=0 out=0 dropped=0 held=0 consumed=0 demand=0"
    )
  }

  @Test(
    "tell at once what a subscriber of a share has missed",
    arguments: [("share()", 3, "no-demand"), ("share(replay: 1)", 2, "buffer-oldest")]
  )
  func shared(_ share: String, _ count: Int, _ reason: String) throws {
    let server = try TestServer()
    let (client, sender) = (try server.connect(), try server.connect())
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("PIPELINE sh = taps.\(share)")
    _ = try client.ask("SUB sh 2")
    for value in 1...5 { _ = try sender.ask("SEND taps \(value)") }
    #expect(try client.linesSoFar() == ["= 1 1", "= 1 2"])
    server.advance(seconds: 1)
    try sender.say("LIST streams")
    #expect(
      try sender.line()
        == "* stream client=1 id=1 name=sh demand=0 values=2 missed=\(count) stalled=1000ms"
    )
    _ = try sender.line()
    #expect(
      try rows("stage", of: "sh", sender).last
        == "1 \(share) in=\(2 + count) out=2 dropped=\(count) held=0 consumed=0 demand=0"
    )
    try client.say("REQ 1 1")
    var told = try client.linesSoFar()
    if reason == "no-demand" { _ = try sender.ask("SEND taps 5") }
    told += try client.linesSoFar()
    #expect(told == ["OK req 1 demand=1", "DROP 1 \(count) \(reason)", "= 1 5"])
    for value in 6...7 { _ = try sender.ask("SEND taps \(value)") }
    let missed = reason == "no-demand" ? count + 2 : count + 1
    try client.say("CANCEL 1")
    #expect(
      try client.rest { $0.hasPrefix("OK cancel") }.last
        == "OK cancel 1 values=3 missed=\(missed - count) undelivered=0"
        + (reason == "no-demand" ? "" : " why=\(reason):\(missed - count)")
    )
    #expect(
      try rows("stage", of: "sh", sender).last?.contains(" dropped=\(missed) ") == true
    )
  }

  @Test(
    "tell at once what a subscriber of a share has missed of values that came together",
    arguments: [("share()", 4, "no-demand"), ("share(replay: 2)", 2, "buffer-oldest")]
  )
  func sharedBatch(_ share: String, _ count: Int, _ reason: String) throws {
    let server = try TestServer()
    let (client, sender) = (try server.connect(), try server.connect())
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("PIPELINE sh = taps.\(share)")
    _ = try client.ask("SUB sh 1")
    try sender.say((1...5).map { "SEND taps \($0)" }.joined(separator: "\n"))
    _ = try sender.linesSoFar()
    #expect(try client.linesSoFar() == ["= 1 1"])
    #expect(
      try rows("stage", of: "sh", sender).last?.contains(" dropped=\(count) ") == true
    )
    let why = reason == "no-demand" ? "" : " why=\(reason):\(count)"
    #expect(
      try client.ask("CANCEL 1") == "OK cancel 1 values=1 missed=\(count) undelivered=0\(why)"
    )
  }

  @Test("tell the last failure and how long ago it was")
  func failure() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("PIPELINE sums = taps.tryMap { $0 + 1 }")
    #expect(try rows("failure", of: "sums", client) == [])
    _ = try client.ask("SUB sums 1")
    try client.say("SEND taps \"a\"")
    #expect(try client.line().hasPrefix("FAIL 1 stage tryMap"))
    _ = try client.line()
    server.advance(seconds: 2.5)
    let failure = try #require(rows("failure", of: "sums", client).first)
    #expect(failure.hasPrefix("stage ago=2500ms tryMap { $0 + 1 }: "))
  }

  @Test("stand in STATS with the stage and its operator")
  func stats() throws {
    let server = try TestServer()
    let client = try slow(server)
    _ = try client.ask("SUB slow max")
    for value in 1...3 { _ = try client.ask("SEND taps \(value)") }
    try client.say("STATS slow")
    let lines = try client.rest(until: "OK stats 24")
    for row in [
      "flow_stage_values_total{pipeline=\"slow\",stage=\"0\",op=\"subject\",direction=\"in\"} 3",
      "flow_stage_values_total{pipeline=\"slow\",stage=\"2\",op=\"flatMap\",direction=\"out\"} 0",
      "flow_stage_dropped_values_total{pipeline=\"slow\",stage=\"0\",op=\"subject\",reason=\"no-demand\"} 1",
      "flow_stage_inflight_publishers{pipeline=\"slow\",stage=\"2\",op=\"flatMap\"} 2",
      "flow_stage_demand_values{pipeline=\"slow\",stage=\"1\",op=\"map\"} 0",
      "flow_subscriptions{pipeline=\"slow\",demand=\"yes\"} 1",
      "flow_subscription_stalled_seconds_max{pipeline=\"slow\"} 0",
    ] { #expect(lines.contains("* \(row)"), "\(row)") }
    #expect(Amount.demand(.max).metricText == "+Inf")
  }
}
