import FlowCore
import FlowLanguage
import Testing

@Suite("Times")
struct MomentTests {
  @Test(
    "are read from ISO 8601",
    arguments: [
      ("1970-01-01", "0.0"), ("1970-01-01T00:00:00Z", "0.0"),
      ("2026-11-25T12:00:00Z", "1795608000.0"),
      ("2026-11-25T12:00:00+01:30", "1795602600.0"), ("2026-11-25t12:00:00-0100", "1795611600.0"),
      ("2026-11-25 12:00", "1795608000.0"), ("2026-11-25T12:00:00.25Z", "1795608000.25"),
      ("1969-12-31T23:59:59Z", "-1.0"), ("2024-02-29", "1709164800.0"), ("2023-02-29", "null"),
      ("2000-02-29", "951782400.0"), ("1900-02-29", "null"), ("0000-01-01", "-62167219200.0"),
      ("9999-12-31T23:59:59Z", "253402300799.0"), ("2026-13-01", "null"), ("2026-00-01", "null"),
      ("2026-01-00", "null"), ("2026-04-31", "null"), ("2026-1-1", "null"), ("", "null"),
      ("2026-11-25T24:00:00Z", "1795651200.0"), ("2026-11-25T24:00", "1795651200.0"),
      ("2026-11-25T24:00:01Z", "null"), ("2026-11-25T24:01Z", "null"),
      ("2026-11-25T25:00Z", "null"), ("2026-11-25T24:00:00.5Z", "null"),
      ("2016-12-31T23:59:60Z", "1483228800.0"), ("2016-12-31T23:59:60.5Z", "1483228800.5"),
      ("2017-01-01T00:59:60+01:00", "1483228800.0"), ("2016-12-31T15:59:60-0800", "1483228800.0"),
      ("2016-12-31T23:59:60+01:00", "null"), ("2016-12-31T23:59:61Z", "null"),
      ("20261125", "1795564800.0"), ("20261125T120000Z", "1795608000.0"),
      ("20261125T1200Z", "1795608000.0"), ("20261125T120000.25Z", "1795608000.25"),
      ("20261125T120000+0130", "1795602600.0"), ("20161231T235960Z", "1483228800.0"),
      ("20261125T240000Z", "1795651200.0"), ("2026-1125", "null"), ("202611-25", "null"),
      ("20261125T12:00:00Z", "null"), ("2026-11-25T120000Z", "null"), ("2026329", "null"),
      ("2026-W48-3", "null"), ("20261125T1200001Z", "null"),
      ("2026-11-25T12:00:00.\(String(repeating: "1", count: 44))Zx", "null"),
      ("2026-11-25T12:60:00Z", "null"), ("2026-11-25T12", "null"),
      ("2026-11-25T12:00:60Z", "null"), ("2026-11-25T12:00:00.Z", "null"), ("2026-11-25x", "null"),
      ("2026-11-25T12:00:00+24:00", "null"), ("2026-11-25T12:00:00ZZ", "null"), ("x", "null"),
    ]
  )
  func reading(text: String, expected: String) throws {
    #expect(try outcome("Date($0)", of: "\"\(text)\"") == expected)
  }

  @Test(
    "are written as ISO 8601",
    arguments: [
      ("0", "1970-01-01T00:00:00Z"), ("1795608000", "2026-11-25T12:00:00Z"),
      ("1795608000.5", "2026-11-25T12:00:00.500Z"), ("-0.001", "1969-12-31T23:59:59.999Z"),
      ("-62167219200", "0000-01-01T00:00:00Z"), ("253402300799.9999", "9999-12-31T23:59:59.999Z"),
      ("951782400", "2000-02-29T00:00:00Z"), ("0.0004", "1970-01-01T00:00:00Z"),
    ]
  )
  func writing(seconds: String, expected: String) throws {
    #expect(try outcome("$0.ISO8601Format()", of: seconds) == "\"\(expected)\"")
  }

  @Test("each day is read as it is written")
  func days() throws {
    let closure = try ValueClosure("{ Date($0.ISO8601Format()) == $0 }")
    for day in stride(from: -719_528, to: 2_932_896, by: 997) {
      #expect(try closure(.int(day * 86_400 + 3_723)) == .bool(true))
    }
    #expect(
      try outcome("$0.ISO8601Format()", of: "253402300800")
        == "ISO8601Format needs a time in the years 0 to 9999"
    )
  }

  @Test("now is the time when a value comes, not when the pipeline was defined")
  func now() throws {
    let host = TestHost(subjects: "taps")
    let times = [
      try host.run("taps.map { $0 + now }"), try host.run("taps.map { [$0, Date()].count * now }"),
      try host.run("taps.filter { now >= $0 }.map { now }"),
      try host.run("taps.flatMap { v in Just(now) }"),
      try host.run("taps.map { [1].map { $0 + now }.first }"),
      try host.run("taps.scan(0) { $0 + now }"), try host.run("taps.zip(taps) { $0 * 0 + now }"),
    ]
    host.wait(until: 2)
    host.send("1", to: "taps")
    host.wait(until: 5)
    host.send("1", to: "taps")
    #expect(
      times.map(\.joined) == [
        "3.0 6.0", "4.0 10.0", "2.0 5.0", "2.0 5.0", "3.0 6.0", "2.0 7.0", "2.0 5.0",
      ]
    )
    // What is made with the subscription has the time of the subscription.
    #expect(try host.run("Just(now)").joined == "5.0")
    #expect(try host.run("Just(1).delay(for: now).map { now }").values.isEmpty)
  }

  @Test("a name of the closure's is not the time")
  func shadowed() throws {
    #expect(try outcome("[7].map { now in now + 1 }") == "[8]")
    #expect(try outcome("let now = 3; now") == "3")
  }

  @Test("timestamp() stamps values with the time")
  func timestamp() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.timestamp()")
    let times = try host.run("taps.timestamp().map { $0.time.ISO8601Format() }")
    host.wait(until: 1.5)
    host.send("{ \"a\": 1 }", to: "taps")
    host.send("text", to: "taps")
    #expect(
      recorder.values == [
        "{\"value\":{\"a\":1},\"time\":1.5}", "{\"value\":\"text\",\"time\":1.5}",
      ]
    )
    #expect(times.values == Array(repeating: "\"1970-01-01T00:00:01.500Z\"", count: 2))
  }

  @Test("a value that is too large with its stamp is left out")
  func large() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.timestamp()")
    host.send("\"" + String(repeating: "a", count: (1 << 20) - 8) + "\"", to: "taps")
    #expect(recorder.values.isEmpty && recorder.failure == nil)
    #expect(host.omissions.first?.reason.contains("a value can have at most 1 MiB") == true)
  }

  @Test("the closure of a window may have the time when it began")
  func windows() throws {
    let host = TestHost(subjects: "taps")
    let timed = try host.run(
      "taps.window(.seconds(2)) { w, start in w.count().map { [start, $0] } }"
    )
    let counted = try host.run("taps.window(2) { w, start in w.collect().map { [start, $0] } }")
    for number in 1...5 {
      host.wait(until: Double(number) - 0.5)
      host.send("\(number)", to: "taps")
    }
    host.wait(until: 6)
    host.subjects["taps"]?.send(completion: .finished)
    #expect(timed.values == ["[0.0,2]", "[2.0,2]", "[4.0,1]", "[6.0,0]"])
    #expect(counted.values == ["[0.5,[1,2]]", "[2.5,[3,4]]", "[4.5,[5]]"])
  }
}
