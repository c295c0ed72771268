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

  @Test("tell the last failure and how long ago it was")
  func failure() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("PIPELINE sums = taps.map { $0 + 1 }")
    #expect(try rows("failure", of: "sums", client) == [])
    _ = try client.ask("SUB sums 1")
    try client.say("SEND taps \"a\"")
    #expect(try client.line().hasPrefix("FAIL 1 stage map"))
    _ = try client.line()
    server.advance(seconds: 2.5)
    let failure = try #require(rows("failure", of: "sums", client).first)
    #expect(failure.hasPrefix("stage ago=2500ms map { $0 + 1 }: "))
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
    #expect(Metric.Sample(.infinity, []).valueText == "+Inf")
  }
}
