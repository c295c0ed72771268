import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("Holding up others")
struct HoldUpTests {
  /// A slow and a quick reader of a subject, and one who sends to it.
  private struct Place {
    let log: Guarded<[String]>
    let server: TestServer
    let slow: TestClient
    let quick: TestClient
    let sender: TestClient
    let watcher: TestClient

    init(_ settings: String) throws {
      let log = Guarded<[String]>([])
      self.log = log
      server = try TestServer { event in
        let fields = event.fields.map { "\($0.key)=\($0.text)" }.joined(separator: " ")
        if ["held-up", "too-slow"].contains(event.name) {
          log.withLock { $0.append("\(event.level) \(event.name) \(fields)") }
        }
      }
      try server.prepare("SUBJECT a flow=slowest \(settings)")
      slow = try server.framed()
      quick = try server.framed("SUB a max")
      sender = try server.framed()
      watcher = try server.framed()
      _ = try slow.ask("SUB a 1")
      try sendFirst()
    }

    private func sendFirst() throws {
      #expect(try sender.ask("SEND a 0") == "OK send a to=2 missed=0")
      #expect(try slow.line() == "= 1 0")
    }

    /// Has values wait for 4 s, until the slow reader asks for them.
    func holdUp(_ count: Int = 1) throws {
      for _ in 0..<count { try sender.say("SEND a 1") }
      try watcher.waitUntil(count, waitAt: "a")
      server.advance(seconds: 4)
      try slow.say("REQ 1 \(count)")
      #expect(try slow.lines(count) == Array(repeating: "= 1 1", count: count))
      _ = try sender.lines(count)
      server.advance(seconds: 0.001)
    }

    var lines: [String] { log.withLock { $0 } }

    func row() throws -> String {
      try watcher.say("SHOW a")
      return try watcher.rest(until: "OK show a").first { $0.contains(" client=2 ") } ?? ""
    }
  }

  @Test("is told of when it comes to the stall in sum, once a minute, and shown")
  func reports() throws {
    let place = try Place("stall=10s")
    let events = try place.server.framed(
      "SUB $events.filter { $0.event == \"held-up\" }.map { $0.held } max"
    )
    try place.holdUp()
    try place.holdUp()
    #expect(place.lines == [])
    #expect(try !place.row().contains("held-up="))
    try place.holdUp()
    #expect(try events.line() == "= 1 12000")
    #expect(place.lines == ["info held-up name=a who=client=2 id=1 held=12000"])
    #expect(try place.row().hasSuffix(" held-up=12000ms"))
    for _ in 0..<14 { try place.holdUp() }
    #expect(place.lines.count == 1)
    for _ in 0..<4 { try place.holdUp() }
    #expect(place.lines.last == "info held-up name=a who=client=2 id=1 held=72000")
    place.server.advance(seconds: 80)
    #expect(try !place.row().contains("held-up="))
  }

  @Test("ends a subscription that takes less than the rate meanwhile")
  func rate() throws {
    let place = try Place("stall=10s rate=1/s")
    for _ in 0..<3 { try place.holdUp() }
    #expect(
      try place.slow.line()
        == "FAIL 1 too-slow took 3 values of a in 12000 ms in which it held up others;"
        + " the least rate is 1/s"
    )
    #expect(place.lines == ["warning too-slow name=a who=client=2 id=1"])
    #expect(try place.sender.ask("SEND a 2") == "OK send a to=1 missed=0")
  }

  @Test("leaves a subscription that takes as many values as the rate, and tells of it")
  func fastEnough() throws {
    let place = try Place("stall=10s rate=1/s")
    for _ in 0..<3 { try place.holdUp(20) }
    #expect(try place.slow.ask("PING") == "PONG")
    #expect(place.lines == ["info held-up name=a who=client=2 id=1 held=12000"])
  }

  @Test("counts what waits at a publisher without a grant, if it comes at once")
  func publisher() throws {
    let place = try Place("stall=10s rate=1/s")
    #expect(try place.sender.ask("PUB a as=5") == "OK pub 5 a demand=0")
    for _ in 0..<3 {
      place.server.advance(seconds: 4)
      try place.slow.say("REQ 1 1")
      #expect(try place.sender.line() == "REQ 5 1")
      try place.sender.say("= 5 1")
      #expect(try place.slow.line() == "= 1 1")
      place.server.advance(seconds: 0.001)
    }
    #expect(try place.slow.line().hasPrefix("FAIL 1 too-slow took 3 values of a in 12"))
  }

  @Test("does not count a publisher that has nothing to send")
  func idlePublisher() throws {
    let place = try Place("stall=10s rate=1/s")
    #expect(try place.sender.ask("PUB a as=5") == "OK pub 5 a demand=0")
    for _ in 0..<5 {
      place.server.advance(seconds: 4)
      try place.slow.say("REQ 1 1")
      #expect(try place.sender.line() == "REQ 5 1")
      place.server.advance(seconds: 5)
      try place.sender.say("= 5 1")
      #expect(try place.slow.line() == "= 1 1")
    }
    #expect(try place.slow.ask("PING") == "PONG")
    #expect(place.lines == [])
  }

  @Test("is not counted for a subscription that nobody waits beside")
  func alone() throws {
    let place = try Place("stall=10s rate=1000/s")
    try place.quick.say("CANCEL 1")
    _ = try place.quick.rest { $0.hasPrefix("OK cancel") }
    for _ in 0..<4 { try place.holdUp() }
    #expect(try place.slow.ask("PING") == "PONG")
    #expect(place.lines == [])
  }
}
