import FlowLanguage
import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer
@testable import FlowSubjects

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
    "orders.filter { $0.price > 20 }.filter { $0.total != $0.price }.map { $0.price + $0.total }",
    "orders.filter { $0.price > 20 }.map { $0.count ?? $0.price }.filter { $0 > 30 }",
    "orders.filter { $0.price > 20 }\(one).map { $0.total }.map { [$0, 1] }\(buffer)",
    "orders.map { let all = $0; all.price > 50 ? all : [all] }", "orders.prefix(25)",
    "orders.dropFirst(30)", "orders.output(in: 3...20)", "orders.append(1, 2)",
    "orders.prepend(8, 9)",
    "orders.catch { Just($0.message) }", "orders.mapError { $0.message }",
    "orders.replaceError(with: 7)", "orders.merge(with: taps)",
    "orders.merge(with: (1...9).publisher)",
    "orders.share()", "orders.share(replay: 2)", "orders.merge(with: taps).prefix(20).share()",
  ]

  /// What takes one value after the other, or comes to read the subject in the middle of them.
  private static let closed = [
    "orders.flatMap { Just($0 * 10) }.merge(with: orders).prefix(4)",
    "orders.merge(with: orders.contains(4))",
    "orders.drop(untilOutputFrom: orders.filter { $0 > 50 }).merge(with: orders)",
    "orders.count().merge(with: orders)", "orders.reduce(0) { $0 + $1 }.merge(with: orders)",
    "orders.merge(with: orders)", "orders.map { $0 }.zip(taps)", "orders.zip(orders)",
    "orders.combineLatest(orders.map { $0 + 1 })", "orders.withLatest(from: orders)",
    "orders.map { $0 < 50 ? $0 : fail(\"no\") }.retry(100)",
    "orders.map { $0 < 50 ? $0 : fail(\"no\") }.catch { orders }",
    "orders.prefix(3).append(orders)", "orders.append(taps).append(orders)",
    "orders.prepend(taps.prefix(5))", "orders.collect(3)", "orders.first()", "orders.count()",
    "orders.flatMap { Just($0 + 1) }", "orders.flatMap { orders.first() }",
    "orders.flatMap(maxPublishers: .max(2)) { orders.prefix($0 % 4) }",
    "orders.flatMapLatest { orders.map { $0 + 1000 } }",
    "orders.prefix(untilOutputFrom: orders.dropFirst(3))",
    "orders.drop(untilOutputFrom: orders.dropFirst(3))", "orders.delay(for: 1)",
    "orders.ignoreOutput()",
    // These look into payloads, but into one after the other.
    "orders.reduce(0) { $0 + ($1.price ?? 1) }", "orders.reduce([]) { $0 + [$1] }.print(\"all\")",
    "orders.filter { $0 > 20 }.map { $0 * 2 }.reduce(0) { $0 + $1 }",
    "orders.contains { $0 > 95 }", "orders.contains(42)", "orders.allSatisfy { $0 < 95 }",
    "orders.allSatisfy { $0 < 95 }.merge(with: orders.contains { $0.price > 95 })",
    "orders.map { [$0] }.collect(3)", "orders.map { $0 * 2 }.flatMap { Just($0 + 1) }",
    "orders.map { $0 * 2 }.zip(orders.map { $0 + 1 })", "orders.scan(0) { $0 + $1 }.collect(2)",
    "orders.map { $0 < 90 ? $0 : fail(\"no\") }.collect(2).retry(100)",
    "orders.map { [$0] }.print(\"each\")", "orders.compactMap { $0.price }.last()",
    "orders.last()", "orders.last { $0 < 60 }.merge(with: orders)", "orders.min(by: \\.price)",
    "orders.last { $0.price < 60 }", "orders.max().merge(with: orders.min { $0.price < $1.price })",
    "orders.filter { $0 > 20 }.min()", "orders.max { $0 < 90 ? $0 < $1 : fail(\"no\") }",
    "orders.group(by: { $0 % 3 }) { $0.map { $0 * 2 } }",
    "orders.group(by: \\.price) { $0.last() }",
    "orders.group(by: { $0 % 3 }) { $0 }.merge(with: orders)", "orders.window(4) { $0.max() }",
    "orders.group(by: { $0 % 5 }) { $0.flatMap { v in orders.map { [v, $0] } } }.prefix(40)",
    "orders.window(.seconds(1)) { w in w.map { $0 + 1 }.merge(with: w) }",
    "orders.group(by: { $0 % 3 }, maxGroups: 2) { $0.scan(0) { $0 + $1 } }",
  ]

  /// What several ways lead to, or one that leads to several.
  private static let joining = [
    "orders.share()", "orders.map { $0 }.share().map { $0 }", "orders.share(replay: 2)",
    "orders.filter { $0 % 3 > 0 }.share(replay: 0)", "orders.share().prefix(5)",
    "orders.prefix(7).share()", "orders.prefix(5).share(replay: 3)",
    "orders.share().merge(with: orders)", "orders.share().share().dropFirst(2)",
    "orders.merge(with: taps)", "orders.merge(with: taps, returns)",
    "orders.map { $0 * 2 }.merge(with: taps.filter { $0 > 30 }).map { [$0] }",
    "orders.merge(with: (1...9).publisher)", "(1...9).publisher.merge(with: orders)",
    "orders.merge(with: taps).merge(with: orders)", "orders.merge(with: taps).share()",
    "orders.merge(with: taps)\(buffer)\(one)", "orders\(keeper).merge(with: taps\(one))",
    "orders.share().merge(with: taps).share()", "orders.merge(with: taps).zip(returns)",
    "orders.merge(with: taps.map { $0 < 60 ? $0 : fail(\"no\") })",
    "orders.merge(with: taps.prefix(3)).prefix(20)", "orders.merge(with: taps).scan(0) { $0 + $1 }",
    "orders.merge(with: taps).removeDuplicates()", "orders.merge(with: taps).collect(3)",
  ]

  /// What goes on with another publisher, or may.
  private static let following = [
    "orders.append(1, 2)", "orders.prefix(5).append(1, 2)", "orders.prefix(3).append(taps)",
    "orders.append(taps).map { $0 }", "orders.prepend(8, 9)", "orders.prepend(8, 9)\(buffer)\(one)",
    "orders.prefix(4).prepend(taps.prefix(2))", "orders.prefix(4).prepend(orders.prefix(2))",
    "taps.prefix(3).append(orders.prefix(9))",
    "orders.retry(3)", "orders.map { $0 < 90 ? $0 : fail(\"no\") }.retry(3).map { [$0] }",
    "orders.prefix(9).retry(2).scan(0) { $0 + $1 }", "orders.retry(2, delay: 1)",
    "orders.map { $0 < 90 ? $0 : fail(\"no\") }.retry(9, delay: 0.5)",
    "orders.catch { Just($0.message) }",
    "orders.tryMap { $0 < 90 ? $0 : fail(\"no\") }.catch { Just(0) }",
    "orders.map { $0 < 90 ? $0 : fail(\"no\") }.catch { taps }.prefix(30)",
    "orders.replaceError(with: 0)",
    "orders.map { $0 < 90 ? $0 : fail(\"no\") }.replaceError(with: 0)",
    "orders.map { $0 < 90 ? $0 : fail(\"no\") }.mapError { \"so \\($0.message)\" }",
    "orders.mapError { $0.message }.map { $0 }", "orders.merge(with: orders.prepend(1))",
    "orders.merge(with: taps.append(orders))", "orders.merge(with: taps.prepend(returns))",
    "orders.merge(with: taps.retry(2)).map { $0 }", "orders.append(returns).share()",
  ]

  /// What counts its values.
  private static let counting = [
    "orders.prefix(0)", "orders.prefix(1)", "orders.prefix(25)", "orders.prefix(25).map { $0 }",
    "orders.map { $0 }.prefix(9).prefix(30)", "orders.dropFirst()", "orders.dropFirst(30)",
    "orders.dropFirst(0).prefix(12)", "orders.dropFirst(7)\(buffer)\(one)",
    "orders\(keeper).dropFirst(7)", "orders.output(at: 5)", "orders.output(in: 3...20)",
    "orders.output(in: 0..<0)", "orders.output(in: 4..<4)", "orders\(one).prefix(9)",
    "orders.filter { $0 > 20 }.prefix(9)", "orders.prefix(9).filter { $0 > 20 }",
    "orders.prefix(5).dropFirst(2).scan(0) { $0 + $1 }",
  ]

  private static let pipelines: [String] =
    open + counting + joining + following + closed
    + OperatorTable.all.filter { $0.role != .ending }.map(\.example)

  @Test(
    "change nothing that anybody sees, whatever is asked for",
    arguments: RandomCases.selection(of: pipelines)
  )
  func same(_ pipeline: String) throws {
    for seed in RandomCases.seeds(4) {
      var play = try BatchPlay(
        pipeline,
        flow: seed < 4 ? "free" : "slowest",
        makesObjects: seed == 1,
        seed: seed
      )
      for _ in 0..<RandomCases.count(40) { try play.step() }
      try play.end()
    }
  }

  /// Pipelines by their names, and one that reads some of them.
  private static let named = [
    (["PIPELINE s = orders.share()"], "s.merge(with: s)"),
    (["PIPELINE s = orders.share()"], "s.merge(with: s.map { $0 + 1000 }).prefix(30)"),
    (["PIPELINE s = orders.map { $0 }.share()"], "s.merge(with: taps)"),
    (["PIPELINE s = orders.share(replay: 3)"], "s.merge(with: s)"),
    (["PIPELINE s = orders.share()"], "s.zip(s.dropFirst())"),
    (["PIPELINE s = orders.share()"], "s.flatMap { s.first() }"),
    (["PIPELINE s = orders.share()"], "s.map { $0 < 50 ? $0 : fail(\"no\") }.retry(100)"),
    (["PIPELINE s = orders.share()"], "s.prefix(3).append(s)"),
    (["PIPELINE s = orders.merge(with: taps).share()"], "s.merge(with: orders)"),
    (["PIPELINE s = orders.share()", "PIPELINE t = taps.share()"], "s.merge(with: t)"),
    (["PIPELINE s = orders.share()", "PIPELINE t = s.share()"], "s.merge(with: t)"),
    (["PIPELINE s = orders.share().prefix(4)"], "s.append(s)"),
    (
      ["SUBJECT middle", "PIPELINE s = orders.share()", "RUN r = s.assign(to: middle)"],
      "middle.merge(with: s)"
    ),
    (
      ["SUBJECT middle", "RUN r = orders.share().assign(to: middle)"], "middle.merge(with: orders)"
    ),
    (
      ["SUBJECT middle", "RUN r = orders.merge(with: taps).assign(to: middle)"],
      "middle.merge(with: returns)"
    ),
    (
      ["SUBJECT middle flow=slowest", "RUN r = orders.assign(to: middle)"],
      "middle.map { $0 < 50 ? $0 : fail(\"no\") }.retry(100)"
    ),
    (
      [
        "SUBJECT middle", "SUBJECT left", "RUN l = orders.assign(to: left)",
        "RUN r = orders.assign(to: middle)",
      ],
      "middle.merge(with: left)"
    ),
  ]

  @Test("change nothing where ways part and meet again", arguments: named.indices)
  func sameNamed(_ index: Int) throws {
    let (lines, pipeline) = Self.named[index]
    for seed in RandomCases.seeds(6) {
      var play = try BatchPlay(
        pipeline,
        behind: lines,
        flow: seed % 3 > 0 ? "free" : "slowest",
        seed: seed
      )
      for _ in 0..<RandomCases.count(40) { try play.step() }
      try play.end()
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
    for seed in RandomCases.seeds(4) {
      let flow = seed % 2 == 0 ? "free" : "slowest"
      let subjects = ["middle"] + (0...12).map { "s\($0)" }
      var play = try BatchPlay(
        pipeline,
        behind: subjects.map { "SUBJECT \($0) flow=\(seed < 3 ? "free" : "slowest")" } + runs,
        flow: flow,
        makesObjects: false,
        seed: seed
      )
      for _ in 0..<RandomCases.count(10, atLeast: 5) { try play.step() }
      try play.end()
    }
  }

  @Test("are taken by what leads to a stream, whatever else is on its subject")
  func taking() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT orders", "SUBJECT taps")
    let client = try server.framed()
    /// Whether each subscription takes the next values together.
    func takers() -> [Bool] {
      server.server.perform { engine in
        guard let subject = engine.registry.subject("orders"), subject.roomForBatch() > 1 else {
          return []
        }
        var takers: [Bool] = []
        subject.forEachOutlet { takers.append($0.takesTogether(subject.state.batches.separates)) }
        return takers
      }
    }
    func say(_ line: String) throws {
      try client.say(line)
      let lines = try client.linesSoFar()
      #expect(lines.contains { $0.hasPrefix("OK") }, "\(line)")
    }
    try say("SUB orders max as=9")
    for pipeline in Self.open {
      try say("SUB \(pipeline) max as=1")
      #expect(takers() == [true, true], "\(pipeline)")
      try say("CANCEL 1")
      #expect(takers() == [true], "after \(pipeline)")
    }
    for pipeline in Self.closed {
      try say("SUB \(pipeline) max as=1")
      #expect(takers().first == true && !takers().dropFirst().contains(true), "\(pipeline)")
      try say("CANCEL 1")
    }
    try say("RUN r = orders.map { $0 }.assign(to: taps)")
    #expect(takers() == [true, true])
    for pipeline in ["taps.collect(2)", "taps.first()"] {
      try say("SUB \(pipeline) max as=1")
      #expect(takers() == [true, true], "\(pipeline)")
      try say("CANCEL 1")
    }
    // What could come to read `orders`, or is told of other calls.
    for pipeline in ["taps.flatMap { orders.first() }", "taps.flatMap { ask(size, $0) }"] {
      try say("SUB \(pipeline) max as=1")
      #expect(takers() == [true, false], "\(pipeline)")
      try say("CANCEL 1")
    }
    // Two ways to one subject, or to one merge: it would see another order.
    try say("RUN s = orders.map { $0 + 1 }.assign(to: taps)")
    #expect(takers() == [true, false, false])
    try say("DELETE s")
    #expect(takers() == [true, true])
    try say("SUB taps.merge(with: orders) max as=1")
    #expect(takers() == [true, false, false])
    try say("CANCEL 1")
    #expect(takers() == [true, true])
  }

  @Test("reach all subscriptions in their order, with what each has asked for")
  func many() throws {
    // All in one turn, however slow the machine is.
    var configuration = Configuration()
    configuration.pipelines.slice = 3_600_000_000_000
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
    let fence = "OK cancel 5 values=10 missed=2981 undelivered=0"
    #expect(try client.ask("CANCEL 5").hasPrefix("\(fence) why=buffer-"))
  }
}
