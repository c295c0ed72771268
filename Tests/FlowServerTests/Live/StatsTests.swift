import FlowServerSupport
import FlowTestSupport
import Foundation
import Testing

@testable import FlowServer

@Suite("STATS")
struct StatsTests {
  /// The rows that answer `STATS`, as metric and value.
  private func stats(_ client: TestClient, of name: String = "") throws -> [String: String] {
    try client.say(name.isEmpty ? "STATS" : "STATS \(name)")
    var rows: [String: String] = [:]
    let lines = try client.rest { !$0.hasPrefix("* ") }
    for line in lines.dropLast() {
      let parts = line.dropFirst(2).split(separator: " ")
      try #require(parts.count == 2, "\(line)")
      rows[String(parts[0])] = String(parts[1])
    }
    #expect(lines.last == "OK stats \(rows.count)")
    return rows
  }

  @Test("counts connections, streams, frames, values and errors of the server")
  func server() throws {
    let server = try TestServer()
    let client = try server.connect()
    let other = try server.connect()
    _ = try other.linesSoFar()
    other.close()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("SUB taps 1")
    _ = try client.ask("PUB taps as=7")
    try client.say("= 7 a", "= 7 b", "SEND taps c", "REQ 1 0", "nonsense", "SEND nobody 1")
    try client.say("FAIL taps own-code")
    _ = try client.rest(until: "OK fail taps")
    _ = try client.linesSoFar()
    server.advance(seconds: 2.5)
    let rows = try stats(client)
    let expected = [
      "flow_build_info{version=\"\(Server.version)\"}": "1", "flow_uptime_seconds": "2.5",
      "flow_connections": "1", "flow_connections_total": "2",
      "flow_streams{kind=\"subscription\"}": "0", "flow_streams{kind=\"publication\"}": "0",
      "flow_streams_total": "2", "flow_names{kind=\"subject\"}": "1",
      "flow_names{kind=\"pipeline\"}": "0", "flow_frames_total{verb=\"SUBJECT\"}": "1",
      "flow_frames_total{verb=\"SUB\"}": "1", "flow_frames_total{verb=\"PUB\"}": "1",
      "flow_frames_total{verb=\"SEND\"}": "2", "flow_frames_total{verb=\"REQ\"}": "1",
      "flow_frames_total{verb=\"=\"}": "2", "flow_frames_total{verb=\"PING\"}": "2",
      "flow_frames_total{verb=\"STATS\"}": "1", "flow_frames_total{verb=\"FAIL\"}": "1",
      "flow_errors_total{line=\"ERR\",code=\"unknown-command\"}": "1",
      "flow_errors_total{line=\"ERR\",code=\"unknown-name\"}": "1",
      "flow_errors_total{line=\"FAIL\",code=\"bad-demand\"}": "1",
      "flow_values_total{direction=\"in\"}": "3", "flow_values_total{direction=\"out\"}": "1",
      "flow_missed_values_total{reason=\"no-demand\"}": "2",
      "flow_missed_values_total{reason=\"replaced\"}": "0",
    ]
    for (metric, value) in expected { #expect(rows[metric] == value, "\(metric)") }
    #expect(rows["flow_frames_total{verb=\"TAKE\"}"] == nil)
    #expect(Int(rows["flow_bytes_total{direction=\"in\"}"] ?? "") ?? 0 > 100)
    #expect(Int(rows["flow_bytes_total{direction=\"out\"}"] ?? "") ?? 0 > 100)
    #expect(Int(rows["flow_turns_total"] ?? "") ?? 0 > 3)
  }

  @Test("codes that clients make up count as other, and what is gone stays counted")
  func retired() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("SUB taps 1")
    try client.say("SEND taps 1", "SEND taps 2", "FAIL taps own-code", "DELETE taps")
    _ = try client.rest(until: "OK delete taps")
    let rows = try stats(client)
    #expect(rows["flow_errors_total{line=\"FAIL\",code=\"other\"}"] == "1")
    #expect(rows["flow_values_total{direction=\"in\"}"] == "2")
    #expect(rows["flow_values_total{direction=\"out\"}"] == "1")
    #expect(rows["flow_missed_values_total{reason=\"no-demand\"}"] == "1")
  }

  @Test("a miss counts once, whether it has been told or not")
  func missedOnce() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("SUB taps")
    _ = try client.line()
    let metric = "flow_missed_values_total{reason=\"no-demand\"}"
    _ = try client.ask("SEND taps 1")
    #expect(try stats(client)[metric] == "1")
    _ = try client.ask("REQ 1 1")
    try client.say("SEND taps 2")
    #expect(try client.lines(3).first == "DROP 1 1 no-demand")
    _ = try client.ask("SEND taps 3")
    #expect(try stats(client)[metric] == "2")
    #expect(try client.ask("CANCEL 1") == "OK cancel 1 values=1 missed=1 undelivered=0")
    #expect(try stats(client)[metric] == "2")
  }

  @Test("of a subject: values, subscriptions with and without room, and for how long it stalls")
  func subject() throws {
    let server = try TestServer()
    let client = try server.connect()
    let publisher = try server.connect()
    _ = try client.ask("SUBJECT orders flow=slowest")
    _ = try client.ask("SUB orders 2")
    _ = try client.ask("SUB orders 1")
    _ = try publisher.ask("PUB orders as=1")
    try publisher.say("= 1 a", "= 1 b")
    _ = try publisher.linesSoFar()
    server.advance(seconds: 1.25)
    let rows = try stats(try server.connect(), of: "orders")
    #expect(
      rows == [
        "flow_subject_values_total{subject=\"orders\",outcome=\"published\"}": "1",
        "flow_subject_values_total{subject=\"orders\",outcome=\"delivered\"}": "2",
        "flow_subject_values_total{subject=\"orders\",outcome=\"missed\"}": "0",
        "flow_subject_subscriptions{subject=\"orders\",room=\"yes\"}": "1",
        "flow_subject_subscriptions{subject=\"orders\",room=\"no\"}": "1",
        "flow_subject_publications{subject=\"orders\"}": "1",
        "flow_subject_waiting_values{subject=\"orders\"}": "1",
        "flow_subject_stalled_seconds{subject=\"orders\"}": "1.25",
        "flow_subject_held_bytes{subject=\"orders\"}": "0",
        "flow_subject_forgotten_values_total{subject=\"orders\"}": "0",
      ]
    )
  }

  @Test("of a pipeline and of a run; another name is no name")
  func names() throws {
    let server = try TestServer()
    let client = try server.connect()
    for line in ["SUBJECT taps", "SUBJECT sums", "PIPELINE tens = taps.map { $0 * 10 }"] {
      _ = try client.ask(line)
    }
    _ = try client.ask("RUN totals = taps.scan(0) { $0 + $1 }.assign(to: sums)")
    try client.say("SUB tens 5", "SUB tens 1", "SUB taps 1", "SEND taps 1")
    _ = try client.rest(until: "OK send taps to=4 missed=0")
    let pipeline = try stats(client, of: "tens")
    #expect(pipeline["flow_subscriptions{pipeline=\"tens\",demand=\"yes\"}"] == "1")
    #expect(pipeline["flow_subscriptions{pipeline=\"tens\",demand=\"no\"}"] == "1")
    let run = try stats(client, of: "totals")
    #expect(run["flow_run_running{run=\"totals\"}"] == "1")
    #expect(run["flow_run_values_total{run=\"totals\"}"] == "1")
    #expect(
      try client.ask("STATS tenz")
        == "ERR unknown-name unknown name \"tenz\"; did you mean tens?"
    )
    #expect(try client.ask("STATS 7").hasPrefix("ERR usage name is \"7\""))
  }

  @Test("names are the field's: total for counters only, seconds and no milliseconds")
  func metricNames() throws {
    let metrics = try TestServer().server.perform { $0.metrics }
    for metric in metrics {
      #expect(metric.name.hasPrefix("flow_") || metric.name.hasPrefix("process_"))
      #expect(metric.name.hasSuffix("_total") == (metric.kind == .counter), "\(metric.name)")
    }
    #expect(Set(metrics.map(\.name)).count == metrics.count)
  }

  @Test("protocol.md has a row for each metric, word for word")
  func page() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "protocol.md"), encoding: .utf8)
    let rows = page.components(separatedBy: "\n").filter {
      $0.hasPrefix("| `flow_") || $0.hasPrefix("| `process_")
    }
    let metrics = try TestServer().server.perform { $0.metrics }
    let expected = metrics.map { "| `\($0.name)` | \($0.kind) | \($0.help) |" }
    #expect(rows == expected)
  }
}
