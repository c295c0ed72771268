import FlowServerSupport
import FlowTestSupport
import Testing

/// The mission's numbered scenarios over a real socket, in virtual time.
@Suite("Scenarios over the wire")
struct WireScenarios {
  /// A framed client with a subject `taps`, and its received lines with their times.
  final class Session {
    let server: TestServer
    let client: TestClient
    private(set) var lines: [String] = []
    private(set) var times: [Double] = []
    /// The virtual time in twentieths of a second.
    private var now = 0

    init() throws {
      server = try TestServer()
      client = try server.connect()
      _ = try client.ask("HELLO 1")
      _ = try client.ask("SUBJECT taps")
    }

    /// Advances the time in steps of a twentieth of a second, and records the lines of each.
    func wait(until second: Double) throws {
      while now < Int((second * 20).rounded()) {
        now += 1
        server.advance(toSecond: Double(now) / 20)
        try note()
      }
    }

    /// Sends a line, and records the lines that come at once.
    func ask(_ line: String) throws {
      try client.say(line)
      try note()
    }

    func send(_ values: some Sequence<Int>) throws {
      for value in values { try ask("SEND taps \(value)") }
    }

    private func note() throws {
      for line in try client.linesSoFar() where !line.hasPrefix("OK send ") {
        lines.append(line)
        times.append(Double(now) / 20)
      }
    }

    var values: [String] {
      lines.filter { $0.hasPrefix("= 1 ") }.map { String($0.dropFirst(4)) }
    }

    var valueTimes: [Double] {
      zip(lines, times).filter { $0.0.hasPrefix("= 1 ") }.map(\.1)
    }
  }

  static let hasty = "buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest)"
  static let slow = "flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 2) }"

  @Test("1: three at a time; values without demand are dropped and reported")
  func threeAtATime() throws {
    let session = try Session()
    try session.ask("SUB taps.flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3.05) } max")
    for second in 1...12 {
      try session.wait(until: Double(second))
      try session.send(second...second)
    }
    try session.wait(until: 30)
    #expect(session.values == [1, 2, 3, 5, 6, 7, 9, 10, 11].map(String.init))
    let drops = session.lines.filter { $0.hasPrefix("DROP") }
    #expect(drops == Array(repeating: "DROP 1 1 no-demand", count: 3))
  }

  @Test("2: three at a time after a buffer; no value is missed")
  func threeAtATimeBuffered() throws {
    let session = try Session()
    try session.ask(
      "SUB taps.buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest)"
        + ".flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3.05) } max"
    )
    for second in 1...12 {
      try session.wait(until: Double(second))
      try session.send(second...second)
    }
    try session.wait(until: 30)
    #expect(session.lines.dropFirst() == (1...12).map { "= 1 \($0)" }[...])
  }

  @Test(
    "3, 4: a timer ten times as fast as its reader, with a small buffer",
    arguments: [
      ("Newest", 2.15, 18, "1 2 3 4 5 12 23 34"), ("Oldest", 2.1, 8.65, "1 8 18 29"),
    ] as [(String, Double, Double, String)]
  )
  func fastTimer(_ dropped: String, _ delay: Double, _ end: Double, _ expected: String) throws {
    let session = try Session()
    try session.ask(
      "SUB Timer.publish(every: .milliseconds(200)).autoconnect()"
        + ".buffer(size: 4, prefetch: .byRequest, whenFull: .drop\(dropped))"
        + ".flatMap(maxPublishers: .max(1)) { Just($0).delay(for: \(delay)) } max"
    )
    try session.wait(until: end)
    #expect(session.values.joined(separator: " ") == expected)
    let drops = session.lines.filter { $0.hasPrefix("DROP") }
    #expect(!drops.isEmpty && drops.allSatisfy { $0.hasSuffix(" buffer-\(dropped.lowercased())") })
  }

  @Test("5: one at a time; values without demand are dropped")
  func oneAtATime() throws {
    let session = try Session()
    try session.ask("SUB taps.\(Self.slow) max")
    try session.send(1...10)
    try session.wait(until: 3)
    try session.send([11])
    try session.wait(until: 20)
    #expect(
      session.lines == ["OK sub 1 - demand=max", "DROP 1 9 no-demand", "= 1 1", "= 1 11"]
    )
    #expect(session.valueTimes == [2, 5])
  }

  @Test("6: one at a time after a buffer of four")
  func oneAtATimeBuffered() throws {
    let session = try Session()
    try session.ask("SUB taps.\(Self.hasty).\(Self.slow) max")
    try session.send(1...10)
    try session.wait(until: 3)
    try session.send([11])
    try session.wait(until: 20)
    #expect(session.values == ["1", "2", "3", "4", "5", "11"])
    #expect(session.valueTimes == [2, 4, 6, 8, 10, 12])
    #expect(session.lines[1] == "DROP 1 5 no-demand")
  }

  @Test(
    "13: three fetches, of which the second fails",
    arguments: [
      ("FETCH", ["= 1 10", "FAIL 1 stage no 2"]),
      ("FETCH.replaceError(with: 0)", ["= 1 10", "= 1 0", "DONE 1"]),
      ("INSIDE.replaceError(with: 0)", ["= 1 10", "= 1 0", "= 1 30", "DONE 1"]),
      (
        #"INSIDE.catch { Just(["error": $0.message]) }"#,
        ["= 1 10", #"= 1 {"error":"no 2"}"#, "= 1 30", "DONE 1"]
      ),
    ]
  )
  func fetches(_ form: String, _ expected: [String]) throws {
    let session = try Session()
    let each = "[1, 2, 3].publisher.flatMap(maxPublishers: .max(1)) { "
    let fetch = #"{ id in if id == 2 { Fail("no \(id)") } else { Just(id * 10).delay(for: 1) } }"#
    let text =
      form.hasPrefix("FETCH")
      ? each + "Just($0).flatMap \(fetch) }" + form.dropFirst(5)
      : each + "Just($0).flatMap \(fetch)" + form.dropFirst(6) + " }"
    try session.ask("SUB \(text) max")
    try session.wait(until: 5)
    #expect(session.lines.dropFirst() == expected[...])
  }

  @Test("23: never more than requested; the misses come as one DROP")
  func neverMore() throws {
    let session = try Session()
    try session.ask("PIPELINE one = taps.\(Self.hasty).\(Self.slow)")
    try session.ask("SUB one 3")
    try session.send(1...10)
    for second in stride(from: 10.0, through: 25, by: 5) {
      try session.wait(until: second)
      try session.ask("REQ 1 1")
    }
    try session.wait(until: 40)
    #expect(
      session.lines.dropFirst(2)
        == ["DROP 1 5 no-demand", "= 1 1", "= 1 2", "= 1 3", "= 1 4", "= 1 5"]
    )
    #expect(session.valueTimes == [2, 4, 6, 10, 15])
    try session.ask("CANCEL 1")
    #expect(session.lines.last == "OK cancel 1 values=5 missed=0 undelivered=0")
  }
}
