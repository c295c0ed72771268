import FlowLanguage
import FlowSubjects
import FlowServerSupport
import FlowTestSupport
import FlowWire
import Testing

@testable import FlowServer

@Suite("The watch")
struct WatchTests {
  /// What a sample tells of `name`, after so many seconds in which somebody watches.
  private func sample(
    of name: String,
    stream: String = "",
    on server: TestServer,
    after seconds: Int = 3,
    each second: () throws -> Void = {}
  ) throws -> String {
    for _ in 0..<seconds {
      server.server.perform { $0.watch.want(for: Watch.poll, name) }
      for _ in 0..<40 { server.advance(seconds: 0.025) }
      try second()
    }
    return server.server.perform { engine in
      var query = WatchQuery(name: name, stream: stream)
      query.filter = ""
      let report = engine.watch.report(query, for: Access(engine.tokens))
      return "\(report.sample(tellsAll: true).text)"
    }
  }

  @Test("finds a client that asks for nothing, and says since when")
  func slowClient() throws {
    let server = try TestServer()
    try server.prepare(
      "SUBJECT orders flow=slowest",
      "PIPELINE slow = orders.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest)"
    )
    let (reader, sender) = (try server.framed(), try server.framed())
    _ = try reader.ask("SUB slow 1 as=1")
    for n in 1...6 { try sender.say("SEND orders \(n)") }
    _ = try reader.line()
    let text = try sample(of: "slow", on: server)
    #expect(text.contains(#""code":"client""#), "\(text)")
    #expect(text.contains("which has asked for nothing for"), "\(text)")
    #expect(text.contains(#""held":2"#), "\(text)")
    #expect(text.contains(#""stalled":"#), "\(text)")
    #expect(text.contains(#""orders":["elsewhere","client 2""#), "\(text)")
  }

  @Test("finds the stage that is slower than what is above it")
  func slowStage() throws {
    let server = try TestServer()
    try server.prepare(
      "SUBJECT taps",
      "PIPELINE slow = taps.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest)"
        + ".flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 0.5) }"
    )
    let (reader, sender) = (try server.framed(), try server.framed())
    _ = try reader.ask("SUB slow max as=1")
    let text = try sample(of: "slow", on: server, after: 5) {
      for n in 1...9 { _ = try sender.ask("SEND taps \(n)") }
    }
    #expect(text.contains("Loses "), "\(text)")
    #expect(
      text.contains("at taps, held up by flatMap: its one publisher is always busy"),
      "\(text)"
    )
    #expect(text.contains(#""slow":["stage","flatMap","#), "\(text)")
  }

  @Test("tells of one run alone, of those who are asleep, and of failed runs")
  func others() throws {
    let server = try TestServer()
    try server.prepare(
      "SUBJECT numbers",
      "SUBJECT out",
      "PIPELINE unused = numbers.map { $0 + 1 }",
      "PIPELINE used = numbers.map { $0 + 1 }",
      "RUN bad = numbers.tryMap { $0 / 0 }.subscribe(out)"
    )
    let (a, b, sender) = (try server.framed(), try server.framed(), try server.framed())
    _ = try a.ask("SUB used max as=1")
    _ = try b.ask("SUB used 1 as=1")
    _ = try sender.ask("SEND numbers 1")
    let text = try sample(of: "used", stream: "2.1", on: server) {
      _ = try sender.ask("SEND numbers 1")
    }
    #expect(text.contains(#""unused":["asleep","","--",0,0,0,0,null]"#), "\(text)")
    #expect(text.contains(#""bad":["failed""#), "\(text)")
    #expect(text.contains(#""stream":"2.1""#), "\(text)")
    #expect(text.contains(#""used":["client","client 3","#), "\(text)")
    #expect(text.contains(#""code":"well""#), "\(text)")
  }

  @Test("of very many that run a pipeline it looks at some, and tells the figures of all")
  func many() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a", "PIPELINE p = a" + String(repeating: ".map { $0 }", count: 99))
    let (reader, sender) = (try server.framed(), try server.framed())
    for id in 1...250 { _ = try reader.ask("SUB p \(id) as=\(id)") }
    _ = try sender.ask("SEND a 1")
    _ = try reader.lines(250)
    let text = try sample(of: "p", on: server)
    #expect(text.contains(#"{"in":250,"out":250,"dropped":0,"held":0,"asked":31125,"#), "\(text)")
    #expect(text.contains(",250,0,250,250,["), "\(text)")
    #expect(server.server.perform { $0.watch.names["p"]?.runs.count } == 64)
    #expect(text.contains(#""subscribers":{"count":250,"#), "\(text)")
    // One that is asked for is looked at, whichever it is.
    for id in [3, 250] {
      _ = try sample(of: "p", stream: "2.\(id)", on: server, after: 1)
      let alone = try sample(of: "p", stream: "2.\(id)", on: server, after: 5)
      let figures = #""in":1,"out":1,"dropped":0,"held":0,"asked":\#(id - 1),"#
      #expect(alone.contains(figures), "\(alone)")
      #expect(alone.contains(#""stream":"2.\#(id)""#), "\(alone)")
      #expect(!alone.contains("has only begun"), "\(alone)")
    }
    _ = try reader.ask("CANCEL 250")
    let gone = try sample(of: "p", stream: "2.250", on: server, after: 1)
    #expect(gone.contains(",250,0,249,250,["), "\(gone)")
  }

  @Test("follows values from the source to the end, and tells how long they took")
  func delivery() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a", "PIPELINE p = a.delay(for: 0.7).map { $0 }")
    let (reader, sender) = (try server.framed(), try server.framed())
    _ = try reader.ask("SUB p max as=1")
    let text = try sample(of: "p", on: server, after: 8) {
      for n in 1...3 { _ = try sender.ask("SEND a \(n)") }
    }
    let stages = server.server.perform { $0.watch.names["p"]?.sightings.stages.map(\.times) }
    let halves = stages?.map { $0.percentile(0.5) }
    #expect(halves == [nil, 1_000_000, 50], "the source, delay, map")
    #expect(text.contains(#""p50":0.05,"#), "\(text)")
    let times = server.server.perform { $0.watch.names["p"]?.sightings.times }
    #expect(times.map { $0.count > 3 } == true)
    #expect(times?.percentile(0.5) == 1_000_000)
  }

  @Test(
    "shows the last values where it may, and changes nothing by that",
    arguments: [true, false]
  )
  func lastValues(_ isShown: Bool) throws {
    var configuration = Configuration()
    configuration.webShowsValues = isShown
    let server = try TestServer(configuration)
    try server.prepare("SUBJECT a flow=slowest", "PIPELINE p = a.map { $0 * 10 }")
    let (reader, sender) = (try server.framed(), try server.framed())
    _ = try reader.ask("SUB p max as=1")
    let text = try sample(of: "p", on: server) {
      let answer = try sender.ask("SEND a 7")
      #expect(answer == "OK send a to=1 missed=0")
    }
    #expect(text.contains(#","70"]"#) == isShown, "\(text)")
    try reader.say("CANCEL 1")
    for _ in 0..<300 { server.advance(seconds: 0.1) }
    #expect(server.server.perform { $0.registry.subject("a")?.outletCount } == 0)
  }

  @Test("tells of a subject what it loses, and for whom its remote publishers wait")
  func subjects() throws {
    let server = try TestServer()
    try server.prepare(
      "SUBJECT free",
      "SUBJECT slow flow=slowest",
      "PIPELINE p = slow.flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 60) }"
    )
    let (reader, sender) = (try server.framed(), try server.framed())
    _ = try reader.ask("SUB free 1 as=1")
    _ = try reader.ask("SUB p max as=2")
    _ = try sender.ask("PUB slow as=9")
    try sender.say("= 9 1")
    let free = try sample(of: "free", on: server, after: 5) {
      for value in 1...3 {
        try sender.say("SEND free \(value)")
        _ = try sender.rest { $0.hasPrefix("OK send free ") }
      }
    }
    #expect(free.contains("Loses 3.0/s: client 2 asks for less than comes."), "\(free)")
    let slow = try sample(of: "slow", on: server)
    let heldUp = "Held up by client 2 in p: whoever sends to slow waits for it."
    #expect(slow.contains(heldUp), "\(slow)")
  }

  @Test("stops to look when nobody wants to know any more")
  func ends() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a", "PIPELINE p = a.map { $0 }")
    _ = try sample(of: "p", on: server, after: 1)
    #expect(server.server.perform { $0.watch.names.count } == 1)
    for _ in 0..<100 { server.advance(seconds: 0.1) }
    #expect(server.server.perform { $0.watch.names.count } == 0)
    #expect(server.server.perform { $0.turn.measuresTime } == false)
  }
}

extension Value {
  /// All of it as JSON.
  var text: String { unsafe withBytes { unsafe String(decoding: $0, as: UTF8.self) } }
}
