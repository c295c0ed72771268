import FlowLanguage
import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

/// Who looks on at a stage sees what it sends, and changes nothing.
@Suite("TAP of a stage")
struct StageTapTests {
  /// Pipelines by their stages, each with a stage of every kind that hands on in its own way.
  static let chains: [[String]] = [
    ["a", "map { $0 + 1 }", "filter { $0 % 2 == 0 }", "scan(0) { $0 + $1 }", "collect(2)"],
    ["a", "filter { $0 != 7 }", "dropFirst(2)", "prefix(50)", "map { $0 }"],
    [
      "a", "buffer(size: 500, prefetch: .keepFull, whenFull: .dropOldest)",
      "flatMap(maxPublishers: .max(2)) { Just($0) }", "map { $0 * 2 }",
    ],
    ["a", "merge(with: b)", "removeDuplicates()", "map { $0 }", "mapError { _ in \"no\" }"],
    ["a", "map { $0 + 1 }", "share()", "filter { $0 > 3 }", "map { [$0] }"],
    ["a", "flatMap { Just($0).append(0) }", "dropFirst(1)", "first { $0 > 40 }"],
  ]

  private static func text(_ stages: some Sequence<String>) -> String {
    stages.joined(separator: ".")
  }

  private static func finishes(_ stages: some Sequence<String>) -> Bool {
    stages.contains { $0.hasPrefix("prefix") || $0.hasPrefix("first") }
  }

  /// A server whose slices of time never end: where one does, flatMap takes more values before it
  /// sends, and sends them in another order than the same pipeline beside it.
  private func makeServer() throws -> TestServer {
    var configuration = Configuration()
    configuration.pipelines.slice = 600_000_000_000
    return try TestServer(configuration)
  }

  /// Sends numbers to `a`, most of them in few reads.
  private func send(_ server: TestServer) throws {
    let publisher = try server.framed()
    #expect(try publisher.ask("SEND a 1").hasPrefix("OK send a to="))
    _ = try publisher.ask("PUB a as=1")
    for range in [2...3, 4...60] {
      try publisher.send(Array(range.map { "= 1 \($0)\n" }.joined().utf8))
      _ = try publisher.linesSoFar()
    }
  }

  /// What comes until nothing comes for some turns: on a slow machine work is spread over several.
  private func all(of client: TestClient) throws -> [String] {
    var (lines, quiet): ([String], Int) = ([], 0)
    while quiet < 20 {
      let more = try client.linesSoFar()
      quiet = more.isEmpty ? quiet + 1 : 0
      lines += more
    }
    return lines
  }

  @Test(
    "sees of each stage what a pipeline that ends there sends, begun before and after it",
    arguments: chains,
    [false, true]
  )
  func sees(_ stages: [String], _ isEarly: Bool) throws {
    let server = try makeServer()
    try server.prepare("SUBJECT a", "SUBJECT b", "PIPELINE p = \(Self.text(stages))")
    let (reader, tap) = (try server.framed(), try server.framed())
    func look() throws {
      for stage in stages.indices {
        #expect(try tap.ask("TAP p.\(stage) max as=\(stage + 1)").hasPrefix("OK tap"))
      }
    }
    if isEarly { try look() }
    for stage in stages.indices {
      _ = try reader.ask("SUB \(Self.text(stages.prefix(stage + 1))) max as=\(stage + 1)")
    }
    _ = try reader.ask("SUB p max as=99")
    if !isEarly { try look() }
    try send(server)
    let (told, seen) = (try all(of: reader), try all(of: tap))
    for stage in stages.indices {
      let values = TestClient.values(stage + 1, in: told)
      let sent = TestClient.values(stage + 1, in: seen)
      // Behind a stage that finishes nothing more is sent, but by what ends there.
      let most = Self.finishes(stages.dropFirst(stage + 1)) ? sent.count : values.count
      #expect(sent == Array(values.prefix(most)) && !sent.isEmpty, "stage \(stage)")
    }
    #expect(TestClient.values(99, in: told) == TestClient.values(stages.count, in: told))
  }

  @Test("changes nothing: values, counts and figures are as without", arguments: chains)
  func unchanged(_ stages: [String]) throws {
    let (without, with) = (try play(stages, taps: false), try play(stages, taps: true))
    #expect(without == with)
  }

  /// What a subscriber with little demand, and whoever asks, hear.
  private func play(_ stages: [String], taps: Bool) throws -> [String] {
    let server = try makeServer()
    try server.prepare("SUBJECT a", "SUBJECT b", "PIPELINE p = \(Self.text(stages))")
    let (reader, tap) = (try server.framed(), try server.framed())
    var heard = [try reader.ask("SUB p 5 as=1")]
    if taps {
      for stage in stages.indices {
        #expect(try tap.ask("TAP p.\(stage) \(stage * 3) as=\(stage + 1)").hasPrefix("OK tap"))
      }
    }
    try send(server)
    heard += try all(of: reader)
    try reader.say("REQ 1 7")
    try send(server)
    heard += try all(of: reader)
    try reader.say("SHOW p", "STATS p", "CANCEL 1")
    heard += try reader.rest { $0.hasPrefix("OK cancel") }
    return heard
  }

  @Test("takes what it has asked for, tells what it left out, and may come and go")
  func demand() throws {
    let server = try TestServer()
    try server.prepare(
      "SUBJECT a",
      "PIPELINE p = a.map { $0 + 1 }.filter { $0 > 0 }.map { $0 * 2 }"
    )
    let (reader, tap, sender) = (try server.framed(), try server.framed(), try server.framed())
    _ = try reader.ask("SUB p max as=1")
    for round in 1...3 {
      #expect(try tap.ask("TAP p.1 2 as=\(round)") == "OK tap \(round) p demand=2")
      for value in 1...4 {
        #expect(try sender.ask("SEND a \(value)") == "OK send a to=1 missed=0")
        #expect(try reader.line() == "= 1 \((value + 1) * 2)")
      }
      #expect(try tap.lines(2) == ["= \(round) 2", "= \(round) 3"])
      #expect(
        try tap.ask("CANCEL \(round)") == "OK cancel \(round) values=2 missed=2 undelivered=0"
      )
    }
    let isLeft = server.server.perform { engine in
      guard case .pipeline(let pipeline)? = engine.registry["p"] else { return false }
      return pipeline.viewers.isEmpty
    }
    #expect(isLeft)
  }

  @Test("sees the stages of a run that has long begun, and ends with it")
  func run() throws {
    let server = try TestServer()
    try server.prepare(
      "SUBJECT a",
      "SUBJECT b",
      "RUN r = a.tryMap { $0 + 1 }.scan(0) { $0 + $1 }.map { $0 }.assign(to: b)"
    )
    let (client, tap) = (try server.framed(), try server.framed())
    _ = try client.ask("SEND a 1")
    for stage in 0...4 { _ = try tap.ask("TAP r.\(stage) max as=\(stage + 1)") }
    _ = try client.ask("SEND a 2")
    #expect(Set(try tap.linesSoFar()) == ["= 1 2", "= 2 3", "= 3 5", "= 4 5", "= 5 5"])
    _ = try client.ask("SEND a x")
    let lines = try tap.linesSoFar().map { String($0.prefix(12)) }
    let ends = (2...5).map { "FAIL \($0) stage" }
    #expect(Set(lines) == Set(ends + ["= 1 x"]))
    try tap.say("TAP r.2 as=9")
    #expect(try tap.line() == "OK tap 9 r demand=0")
    #expect(try tap.line().hasPrefix("FAIL 9 stage"))
  }

  @Test("sees a source that is no subject, and ends when its name is deleted")
  func source() throws {
    let server = try TestServer()
    try server.prepare("PIPELINE ticks = Timer.publish(every: 1).autoconnect().map { $0 * 10 }")
    let (client, tap) = (try server.framed(), try server.framed())
    _ = try client.ask("SUB ticks max as=1")
    #expect(try tap.ask("TAP ticks.0 max") == "OK tap 1 ticks demand=max")
    server.advance(seconds: 1)
    server.advance(seconds: 1)
    #expect(try tap.lines(2) == ["= 1 1", "= 1 2"])
    #expect(try client.lines(2) == ["= 1 10", "= 1 20"])
    #expect(try client.ask("DELETE ticks") == "OK delete ticks")
    #expect(try tap.line() == "FAIL 1 deleted pipeline ticks was deleted")
    server.advance(seconds: 1)
    #expect(try client.line() == "= 1 30")
    #expect(try tap.linesSoFar().isEmpty)
  }

  @Test("that is never read holds nobody up")
  func unread() throws {
    let server = try TestServer()
    try server.prepare(
      "SUBJECT a flow=slowest",
      "PIPELINE p = a.map { $0 }.filter { true }.map { $0 }"
    )
    let (reader, tap) = (try server.framed(), try server.framed())
    _ = try reader.ask("SUB p max as=1")
    _ = try tap.ask("TAP p.1 max as=1")
    let value = String(repeating: "x", count: 100_000)
    for _ in 0..<60 {
      try reader.say("SEND a \(value)")
      #expect(Set(try reader.lines(2).map(\.utf8.count)) == [100_004, 23])
    }
    let lines = try tap.linesSoFar()
    let dropped = lines.filter { $0.hasPrefix("DROP 1 ") }
      .compactMap { Int($0.split(separator: " ")[2]) }.reduce(0, +)
    let end = try tap.ask("CANCEL 1").split(separator: " ").first { $0.hasPrefix("missed=") }
    let rest = end.flatMap { Int($0.dropFirst(7)) } ?? 0
    #expect(TestClient.values(1, in: lines).count + dropped + rest == 60)
  }

  @Test("is for those who may read all that the pipeline reads")
  func rights() throws {
    var configuration = Configuration()
    configuration.tokens = [Token("all"), Token("little", rights: .subscribe, pattern: "open*")]
    let server = try TestServer(configuration)
    let owner = try server.connect()
    #expect(try owner.ask("AUTH all").hasPrefix("OK auth"))
    for line in [
      "HELLO 1", "SUBJECT secret", "SUBJECT open",
      "PIPELINE opened = secret.map { $0.name }.filter { $0 != 1 }.map { $0 }",
      "PIPELINE openly = open.map { $0 }.filter { $0 != 1 }.map { $0 }",
    ] {
      #expect(try owner.ask(line).hasPrefix("OK "))
    }
    let client = try server.connect()
    #expect(try client.ask("AUTH little").hasPrefix("OK auth"))
    _ = try client.ask("HELLO 1")
    #expect(try client.ask("TAP openly.1 as=1").hasPrefix("OK tap"))
    #expect(
      try client.ask("TAP opened.1") == "ERR denied this token may not read all that opened reads"
    )
    #expect(try client.ask("TAP opened.0").hasPrefix("ERR denied this token may not"))
    // Neither the stages nor their number may be revealed.
    #expect(
      try client.ask("TAP opened.3") == "ERR denied this token may not read all that opened reads"
    )
    #expect(try client.ask("TAP opened as=2").hasPrefix("OK tap"))
  }
}
