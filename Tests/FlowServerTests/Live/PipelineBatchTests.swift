import FlowLanguage
import FlowTestSupport
import FlowSubjects
import Testing

@testable import FlowServer

/// Values that come in one read, and go through pipelines.
@Suite("Batches through pipelines")
struct PipelineBatchTests {
  private static let buffer = ".buffer(size: 9, prefetch: .byRequest, whenFull: .dropOldest)"
  private static let keeper = ".buffer(size: 9, prefetch: .keepFull, whenFull: .dropNewest)"
  private static let one = ".flatMap(maxPublishers: .max(1)) { Just($0) }"

  /// What the values of a read go through as payloads, down to the stream.
  private static let open = [
    "orders.map { $0 }", "orders.map { value in value }", "orders\(buffer)", "orders\(keeper)",
    "orders.buffer(size: 9, prefetch: .byRequest, whenFull: .dropNewest)",
    "orders.buffer(size: 9, prefetch: .byRequest, whenFull: .customError(\"full\"))",
    "orders.flatMap { Just($0) }", "orders\(one)", "orders\(buffer)\(one)", "orders\(one)\(buffer)",
    "orders\(keeper)\(one).map { $0 }", "orders.flatMap(maxPublishers: .max(3)) { v in Just(v) }",
    "orders.concatMap { Just($0) }",
    "orders.filter { $0 % 3 > 0 }", "orders.filter { $0 > 20 }\(buffer)",
    "orders\(buffer).filter { $0 > 20 }",
    "orders.map { $0 * 2 }", "orders.map { [$0, $0] }", "orders.map { $0 * 2 }\(buffer)\(one)",
    "orders.filter { $0 > 20 }.map { $0 * 2 }.filter { $0 % 3 == 0 }",
    "orders.filter { $0 > 20 }\(one).map { $0 * 2 }\(keeper).filter { $0 % 3 == 0 }",
    "orders.tryMap { $0 < 90 ? $0 : fail(\"no\") }",
    "orders\(buffer).map { $0 < 90 ? $0 : fail(\"no\") }.filter { $0 > 5 }",
    "orders.filter { $0 > 5 }.map { $0 < 90 ? $0 : fail(\"no\") }\(buffer)\(one)",
    "orders.compactMap { $0 % 2 == 0 ? $0 : null }", "orders.scan(0) { $0 + $1 }",
    "orders.removeDuplicates()", "orders.drop(while: { $0 < 60 })",
    "orders.prefix(while: { $0 < 95 })",
    "orders.first { $0 > 80 }", "orders.filter { $0.price > 20 }.map { $0.price * 2 }",
    "orders.filter { $0.price > 20 }\(one).map { $0.total }.map { [$0, 1] }\(buffer)",
    "orders.map { let all = $0; all.price > 50 ? all : [all] }",
  ]

  /// What takes one value after the other.
  private static let closed = [
    "orders.merge(with: orders)", "orders.map { $0 }.zip(taps)", "orders.share().map { $0 }",
    "orders.map { $0 < 50 ? $0 : fail(\"no\") }.retry(100)",
    "orders.map { $0 < 50 ? $0 : fail(\"no\") }.catch { orders }",
    "orders.prefix(3).append(orders)",
    "orders.flatMap { Just($0 + 1) }", "orders.flatMap { orders.first() }",
    "orders.prefix(untilOutputFrom: orders.dropFirst(3))", "orders.delay(for: 1)",
    "orders.ignoreOutput()", "orders.mapError { $0.message }",
  ]

  @Test(
    "change nothing that anybody sees, whatever is asked for",
    arguments: open + closed + OperatorTable.all.filter { $0.role != .ending }.map(\.example)
  )
  func same(_ pipeline: String) throws {
    for seed in UInt64(1)...4 {
      var play = try BatchPlay(
        pipeline,
        flow: seed < 4 ? "free" : "slowest",
        makesObjects: seed == 1,
        seed: seed
      )
      for _ in 0..<40 { try play.step() }
    }
  }

  /// Runs between the subject and another one, `middle`.
  private static let runs = [
    ["RUN r = orders.assign(to: middle)"],
    ["RUN r = orders.filter { $0 % 2 == 0 }.assign(to: middle)"],
    ["RUN r = orders.map { $0 * 2 }\(buffer)\(one).assign(to: middle)"],
    ["RUN r = orders.prefix(30).subscribe(middle)"],
    ["RUN r = orders.map { $0 < 90 ? $0 : fail(\"no\") }.subscribe(middle)"],
    ["RUN r = orders.assign(to: middle)", "RUN s = orders.map { $0 * 2 }.assign(to: middle)"],
    ["RUN r = orders.assign(to: taps)", "RUN s = taps.map { $0 + 1 }.assign(to: middle)"],
    [
      "RUN r = orders.assign(to: taps)", "RUN s = taps.assign(to: middle)",
      "RUN t = orders.assign(to: middle)",
    ],
    ["RUN m0 = orders.assign(to: s0)"]
      + (1...12).map { "RUN m\($0) = s\($0 - 1).assign(to: s\($0))" }
      + ["RUN r = s12.assign(to: middle)"],
  ]

  @Test(
    "change nothing behind a run",
    arguments: runs,
    [
      "middle", "middle.filter { $0 > 20 }\(buffer)", "middle.merge(with: orders)",
      "middle.flatMap { orders.first() }", "middle.prefix(9)", "orders\(one)",
    ]
  )
  func sameBehindRuns(_ runs: [String], _ pipeline: String) throws {
    for seed in UInt64(1)...4 {
      let flow = seed % 2 == 0 ? "free" : "slowest"
      let subjects = ["middle"] + (0...12).map { "s\($0)" }
      var play = try BatchPlay(
        pipeline,
        behind: subjects.map { "SUBJECT \($0) flow=\(seed < 3 ? "free" : "slowest")" } + runs,
        flow: flow,
        makesObjects: false,
        seed: seed
      )
      for _ in 0..<10 { try play.step() }
    }
  }

  @Test("are taken by what leads to a stream, with nothing between that could reach the subject")
  func taking() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT orders", "SUBJECT taps")
    let client = try server.framed()
    func takesBatches() -> Bool {
      server.server.perform { ($0.registry.subject("orders")?.batchCredit ?? 0) > 1 }
    }
    for pipeline in Self.open {
      #expect(try client.ask("SUB \(pipeline) max as=1").hasPrefix("OK sub"))
      #expect(takesBatches(), "\(pipeline)")
      _ = try client.ask("CANCEL 1")
      #expect(takesBatches(), "after \(pipeline)")
    }
    for pipeline in Self.closed {
      #expect(try client.ask("SUB \(pipeline) max as=1").hasPrefix("OK sub"))
      #expect(!takesBatches(), "\(pipeline)")
      _ = try client.ask("CANCEL 1")
      #expect(takesBatches(), "after \(pipeline)")
    }
    _ = try client.ask("RUN r = orders.map { $0 }.assign(to: taps)")
    #expect(takesBatches())
    for pipeline in ["taps.merge(with: orders)", "taps.flatMap { orders.first() }"] {
      #expect(try client.ask("SUB \(pipeline) max as=1").hasPrefix("OK sub"))
      #expect(!takesBatches(), "\(pipeline)")
      _ = try client.ask("CANCEL 1")
      #expect(takesBatches(), "after \(pipeline)")
    }
    // Two ways to one subject: it would see another order.
    _ = try client.ask("RUN s = orders.map { $0 + 1 }.assign(to: taps)")
    #expect(!takesBatches())
    _ = try client.ask("DELETE s")
    #expect(takesBatches())
  }

  @Test("reach all subscriptions in their order, with what each has asked for")
  func many() throws {
    // All in one turn, however slow the machine is.
    var configuration = Configuration()
    configuration.slice = 3_600_000_000_000
    let server = try TestServer(configuration)
    try server.prepare("SUBJECT orders")
    let publisher = try server.framed()
    let client = try server.framed()
    let values = (0..<3000).map { "\($0)" }
    try client.say(
      "SUB orders max as=1",
      "SUB orders\(Self.buffer) max as=2",
      "SUB orders.filter { $0 % 2 == 0 } max as=3",
      "TAKE orders\(Self.one) 1500 as=4",
      "SUB orders\(Self.one)\(Self.buffer) 10 as=5",
      "TAKE orders.map { $0 * 2 } 100 as=6"
    )
    _ = try client.lines(6)
    _ = try publisher.ask("PUB orders as=1")
    try publisher.send(Array(values.map { "= 1 \($0)\n" }.joined().utf8))
    _ = try publisher.linesSoFar()
    let lines = try client.linesSoFar()
    #expect(TestClient.values(1, in: lines) == values)
    #expect(TestClient.values(2, in: lines) == values)
    #expect(TestClient.values(3, in: lines) == (0..<1500).map { "\($0 * 2)" })
    #expect(TestClient.values(4, in: lines) == Array(values[..<1500]))
    #expect(TestClient.values(5, in: lines) == Array(values[..<10]))
    #expect(TestClient.values(6, in: lines) == (0..<100).map { "\($0 * 2)" })
    #expect(lines.filter { $0.hasPrefix("DONE") }.sorted() == ["DONE 4", "DONE 6"])
    #expect(
      try client.ask("CANCEL 5") == "OK cancel 5 values=10 missed=2981 undelivered=0"
    )
  }
}
