import FlowServerSupport
import FlowTestSupport
import Synchronization
import Testing

@testable import FlowServer

@Suite("The server's log")
struct EventLogTests {
  /// A server whose log is kept.
  private final class Place {
    let events: Guarded<[ServerLogEvent]>
    let server: TestServer

    init(
      _ level: ServerLogEvent.Level,
      _ configuration: Configuration = Configuration()
    ) throws {
      let events = Guarded<[ServerLogEvent]>([])
      self.events = events
      server = try TestServer(configuration, logLevel: level) { event in
        events.withLock { $0.append(event) }
      }
    }

    /// What was logged, all of it.
    var lines: [String] {
      events.withLock { $0 }.map { $0.logfmt(time: "0") + "\n" + $0.json(time: "0") + "\n\($0)" }
    }

    /// `LEVEL NAME KEY=TEXT…` of each event.
    var rows: [String] {
      events.withLock { $0 }.map { event in
        (["\(event.level)", event.name] + event.fields.map { "\($0.key)=\($0.text)" })
          .joined(separator: " ")
      }
    }
  }

  @Test("never has values, wrong lines, tokens or failures' texts in it")
  func secrets() throws {
    var configuration = Configuration()
    configuration.tokens = [Token("sesame-hush")]
    let place = try Place(.debug, configuration)
    let client = try place.server.connect()
    let other = try place.server.connect()
    #expect(try client.ask("AUTH wrong-hush") == "ERR denied unknown token")
    for one in [client, other] { #expect(try one.ask("AUTH sesame-hush") == "OK auth") }
    #expect(try client.ask("SUBJECT orders").hasPrefix("OK"))
    #expect(try client.ask("SUBJECT out").hasPrefix("OK"))
    #expect(try client.ask("RUN fails = orders.tryMap { $0 / 0 }.subscribe(out)").hasPrefix("OK"))
    try other.say("SUB orders 1")
    _ = try other.line()
    try client.say(
      "SEND orders \"value-hush\"",
      "SECRET hush-a hush-b",
      "SEND nowhere hush",
      "SEND",
      "HUSH",
      "SUB hush(",
      "SUB orders.map { \"hush\" + $0 } hush",
      "SUB Fail(\"hush\") 1",
      "FAIL orders hush-no text-hush",
      "REQ hush 1",
      "PUB out",
      "ASK hush hush",
      "\u{1B}[31mhush",
      "GET /hush HTTP/1.1",
      "\u{FE}hush",
      "QUIT"
    )
    _ = try client.rest()
    try Patience.wait(for: "the log of the client's end") {
      place.rows.contains("debug closed client=1 reason=quit")
    }
    let lines = place.lines
    #expect(place.rows.contains("warning stopped name=fails reason=stage"), "\(place.rows)")
    let log = lines.joined(separator: "\n").replacing("hush-no", with: "")
    #expect(!log.lowercased().contains("hush"), "\(log)")
    #expect(!log.contains("sesame"))
  }

  @Test("tells at debug what $events tells, with its names and members")
  func debug() throws {
    let place = try Place(.debug)
    let client = try place.server.connect()
    #expect(try client.ask("SUBJECT a").hasPrefix("OK"))
    #expect(try client.ask("SUB a 1").hasPrefix("OK"))
    #expect(try client.ask("CANCEL 1").hasPrefix("OK"))
    #expect(try client.ask("DELETE a").hasPrefix("OK"))
    try client.say("QUIT")
    _ = try client.rest()
    try Patience.wait(for: "six logged events") { place.rows.count >= 6 }
    let rows = place.rows
    #expect(rows.first?.hasPrefix("debug connected client=1 peer=127.0.0.1:") == true)
    #expect(
      Array(rows.dropFirst()) == [
        "debug defined kind=subject name=a",
        "debug opened client=1 id=1 kind=subscription name=a",
        "debug ended client=1 id=1 name=a reason=cancel",
        "debug deleted kind=subject name=a", "debug closed client=1 reason=quit",
      ],
      "\(rows)"
    )
  }

  @Test("tells at info nothing of clients that come and go, and of runs that fail only the code")
  func info() throws {
    let place = try Place(.info)
    let client = try place.server.connect()
    _ = try client.ask("SUBJECT a")
    _ = try client.ask("RUN r = Fail(\"hush\").subscribe(a)")
    #expect(try client.ask("PING") == "PONG")
    place.server.server.noteReload("made b")
    place.server.server.noteFailedReload("no such file")
    #expect(
      place.rows == [
        "warning stopped name=r reason=stage", "info reloaded text=made b",
        "warning not-reloaded text=no such file",
      ]
    )
    #expect(!place.lines.joined().contains("hush"))
  }

  @Test("tells of a subscription that held up others, and not of one whose publisher says so")
  func tooSlow() throws {
    let place = try Place(.info)
    let (client, other) = (try place.server.connect(), try place.server.connect())
    _ = try client.ask("SUBJECT a flow=slowest stall=2s")
    _ = try client.ask("SUB a 1")
    _ = try other.ask("SUB a max")
    try other.say("SEND a 1", "SEND a 2")
    _ = try client.line()
    _ = try other.lines(2)
    for _ in 0..<4 { place.server.advance(seconds: 1) }
    #expect(try client.rest { $0.hasPrefix("FAIL ") }.last?.hasPrefix("FAIL 1 too-slow ") == true)
    _ = try client.ask("SUBJECT b")
    _ = try client.ask("SUB b 1")
    _ = try client.ask("FAIL b too-slow really")
    #expect(place.rows == ["warning too-slow name=a who=client=1 id=1"])
  }

  @Test("an event is put into words only for who wants to know")
  func levels() throws {
    let quiet = try Place(.error)
    let client = try quiet.server.connect()
    _ = try client.ask("SUBJECT a")
    quiet.server.server.noteFailedReload("no such file")
    var made = 0
    func event() -> ServerEvent {
      made += 1
      return .natsBack(milliseconds: 1)
    }
    nonisolated(unsafe) let count = { made }
    nonisolated(unsafe) let make = event
    quiet.server.server.perform { $0.notify(make()) }
    #expect(count() == 0)
    #expect(quiet.rows.isEmpty)
  }

  @Test("no event matters more than `notify` expects")
  func greatest() {
    let events: [ServerEvent] = [
      .heldUp(name: "", who: "", milliseconds: 1), .relieved(who: "", bytes: 1),
      .notReloaded(text: ""), .natsAway(text: ""),
      .ended(client: 1, id: 1, name: "", reason: "stage"),
      .closed(client: 1, reason: "overflow"),
      .stopped(name: "", reason: "stage", text: ""),
    ]
    for event in events { #expect(event.level <= ServerEvent.greatestLevel) }
  }
}
