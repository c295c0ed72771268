import FlowSubjects
import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("How long values of a subject take")
struct ArrivalTests {
  /// Has somebody watch `name` for so many seconds.
  private func watch(_ name: String, on server: TestServer, seconds: Int) {
    for _ in 0..<seconds {
      server.server.perform { $0.watch.want(for: Watch.poll, name) }
      for _ in 0..<40 { server.advance(seconds: 0.025) }
    }
  }

  /// What WATCH, and what STATS tell of the times of `name`.
  private func told(
    _ name: String,
    on server: TestServer
  ) throws -> (watch: String, stats: [String]) {
    let client = try server.framed()
    try client.say("WATCH \(name)")
    let sample = try client.rest { $0.hasPrefix("OK watch") }.first { $0.hasPrefix("* sample ") }
    try client.say("STATS \(name)")
    let rows = try client.rest { $0.hasPrefix("OK stats") }
    return (sample ?? "", rows.filter { $0.hasPrefix("* flow_subject_delivery_seconds_") })
  }

  private func waits(_ count: Int, at name: String, on server: TestServer) -> Bool {
    for _ in 0..<1_000_000 {
      let waiting = server.server.perform { $0.registry.subject(name)?.waitingCount }
      if waiting == count { return true }
    }
    return false
  }

  /// Says REQ, and waits until the server has read it: values may have come before.
  private func demand(_ client: TestClient, _ demand: String) throws {
    try client.say("REQ 1 \(demand)\nPING")
    _ = try client.rest { $0.hasPrefix("PONG") }
  }

  @Test("a value waits with its publisher until the slowest subscription has room")
  func slowest() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a flow=slowest")
    let (quick, slow) = (try server.framed(), try server.framed())
    let sender = try server.framed()
    _ = try quick.ask("SUB a max as=1")
    _ = try slow.ask("SUB a 0 as=1")
    watch("a", on: server, seconds: 1)
    for number in 1...3 {
      try sender.say("SEND a \(number)")
      try #require(waits(1, at: "a", on: server))
      watch("a", on: server, seconds: 2)
      _ = try slow.ask("REQ 1 1")
      #expect(try sender.line() == "OK send a to=2 missed=0")
      watch("a", on: server, seconds: 1)
    }
    let told = try told("a", on: server)
    #expect(told.watch.contains(#""delivery":{"count":3,"p50":2500,"p99":2500}"#), "\(told.watch)")
    #expect(
      told.stats.contains(#"* flow_subject_delivery_seconds_bucket{subject="a",le="2.5"} 3"#),
      "\(told.stats)"
    )
    #expect(
      told.stats.contains(#"* flow_subject_delivery_seconds_bucket{subject="a",le="1"} 0"#)
        || told.stats.contains(#"* flow_subject_delivery_seconds_bucket{subject="a",le="1.0"} 0"#)
    )
  }

  @Test("a value that is kept waits for a reader; one that was replaced is not told of")
  func kept() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a replay 2")
    let (quick, slow) = (try server.framed(), try server.framed())
    let sender = try server.framed()
    // Nobody reads it: what is kept for those who may come is not under way.
    watch("a", on: server, seconds: 1)
    _ = try sender.ask("SEND a 0")
    watch("a", on: server, seconds: 1)
    _ = try quick.ask("SUB a max as=1")
    #expect(!(try told("a", on: server)).watch.contains(#""delivery""#))
    _ = try slow.ask("SUB a 1 as=1")
    _ = try sender.ask("SEND a 1")
    watch("a", on: server, seconds: 4)
    try demand(slow, "1")
    watch("a", on: server, seconds: 1)
    let once = try told("a", on: server)
    #expect(once.watch.contains(#""delivery":{"count":1,"p50":5000,"p99":5000}"#), "\(once.watch)")
    for number in 2...9 {
      _ = try sender.ask("SEND a \(number)")
      watch("a", on: server, seconds: 1)
    }
    try demand(slow, "max")
    watch("a", on: server, seconds: 1)
    // The two that were kept: 8 for two seconds, 9 for one.
    let told = try told("a", on: server)
    #expect(told.watch.contains(#""delivery":{"count":3,"p50":2500,"p99":5000}"#), "\(told.watch)")
  }

  @Test("a value goes out at once, or to nobody")
  func free() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a", "SUBJECT unread")
    let (reader, sender) = (try server.framed(), try server.framed())
    _ = try reader.ask("SUB a 2 as=1")
    for number in 1...4 {
      watch("a", on: server, seconds: 1)
      _ = try sender.ask("SEND a \(number)")
      _ = try sender.ask("SEND unread \(number)")
    }
    watch("a", on: server, seconds: 1)
    let (sample, rows) = try told("a", on: server)
    #expect(sample.contains(#""delivery":{"count":2,"p50":0.05,"p99":0.05}"#), "\(sample)")
    let first = #"* flow_subject_delivery_seconds_bucket{subject="a",le="5e-05"} 2"#
    #expect(rows.contains(first), "\(rows)")
    let unread = try told("unread", on: server)
    #expect(unread.stats.isEmpty && !unread.watch.contains(#""delivery""#))
  }
}
