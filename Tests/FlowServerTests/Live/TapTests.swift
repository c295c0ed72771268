import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

/// Who only looks on, and changes nothing for anybody else.
@Suite("TAP")
struct TapTests {
  @Test("shows what a subject publishes, as far as it has asked, and tells what it left out")
  func subject() throws {
    let server = try TestServer()
    let client = try server.framed()
    let tap = try server.framed()
    _ = try client.ask("SUBJECT a")
    #expect(try tap.ask("TAP a 2") == "OK tap 1 a demand=2")
    for value in 1...3 {
      #expect(try client.ask("SEND a \(value)") == "OK send a to=0 missed=0")
    }
    #expect(try tap.lines(2) == ["= 1 1", "= 1 2"])
    try tap.say("REQ 1 1", "PING")
    #expect(try tap.line() == "PONG")
    #expect(try client.ask("SEND a 4") == "OK send a to=0 missed=0")
    #expect(try client.ask("SEND a 5") == "OK send a to=0 missed=0")
    #expect(try tap.lines(2) == ["DROP 1 1 no-demand", "= 1 4"])
    #expect(try tap.ask("CANCEL 1") == "OK cancel 1 values=3 missed=1 undelivered=0")
    #expect(try client.ask("SEND a 6") == "OK send a to=0 missed=0")
  }

  @Test(
    "is not counted, whatever the subject: grants, answers and figures are as without",
    arguments: [
      "passthrough flow=free", "passthrough flow=slowest", "current 0 flow=free",
      "replay 2 flow=slowest",
    ],
    [false, true]
  )
  func uncounted(_ settings: String, _ hasReader: Bool) throws {
    #expect(
      try play(settings, hasReader, taps: []) == play(settings, hasReader, taps: ["0", "1", "max"])
    )
  }

  /// What a publisher, a reader and whoever asks hear, with these on the subject beside them.
  private func play(_ settings: String, _ hasReader: Bool, taps: [String]) throws -> [String] {
    let server = try TestServer()
    let client = try server.framed()
    let publisher = try server.framed()
    let reader = try server.framed()
    _ = try client.ask("SUBJECT a \(settings)")
    var others: [TestClient] = []
    for demand in taps {
      let tap = try server.framed()
      #expect(try tap.ask("TAP a \(demand)").hasPrefix("OK tap"))
      others.append(tap)
    }
    var heard: [String] = []
    if hasReader { heard.append(try reader.ask("SUB a 3")) }
    heard.append(try publisher.ask("PUB a grant=10"))
    try publisher.send(Array((1...8).map { "= 1 \($0)\n" }.joined().utf8))
    try publisher.say("PING")
    heard.append(try publisher.line())
    if hasReader {
      try reader.say("REQ 1 2", "PING")
      heard += try reader.rest(until: "PONG")
    }
    heard += try publisher.linesSoFar()
    try client.say("SHOW a", "LIST subjects", "STATS a", "DONE a")
    heard += try client.rest(until: "OK done a")
    heard += try publisher.linesSoFar()
    heard += try reader.linesSoFar()
    for tap in others { #expect(try tap.linesSoFar().last == "DONE 1") }
    return heard
  }

  @Test("has publishers of a lossless subject wait as if it were not there")
  func lossless() throws {
    let server = try TestServer()
    let client = try server.framed()
    let publisher = try server.framed()
    let tap = try server.framed()
    _ = try client.ask("SUBJECT a flow=slowest")
    _ = try tap.ask("TAP a max")
    #expect(try publisher.ask("PUB a over=hold") == "OK pub 1 a demand=0")
    #expect(try tap.linesSoFar().isEmpty)
    #expect(try client.ask("SUB a 2") == "OK sub 1 a demand=2")
    #expect(try publisher.line() == "REQ 1 2")
    try publisher.say("= 1 x", "= 1 y", "= 1 z")
    #expect(try client.lines(2) == ["= 1 x", "= 1 y"])
    #expect(try tap.lines(2) == ["= 1 x", "= 1 y"])
    #expect(try tap.linesSoFar().isEmpty)
    try client.say("REQ 1 1")
    #expect(try client.line() == "= 1 z")
    #expect(try tap.line() == "= 1 z")
  }

  @Test("shows values that come together, and all others get them as without")
  func batches() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a", "SUBJECT b", "PIPELINE p = a.filter { $0 != 7 }")
    try server.prepare("RUN r = a.map { $0 }.assign(to: b)")
    let publisher = try server.framed()
    let reader = try server.framed()
    let tap = try server.framed()
    try reader.say("SUB a max as=1", "SUB p max as=2", "SUB b max as=3")
    _ = try reader.lines(3)
    try tap.say("TAP a max as=1", "TAP p max as=2", "TAP r max as=3", "TAP b 10 as=4")
    _ = try tap.lines(4)
    _ = try publisher.ask("PUB a as=1")
    let values = (0..<2000).map { "\($0)" }
    try publisher.send(Array(values.map { "= 1 \($0)\n" }.joined().utf8))
    let rest = values.filter { $0 != "7" }
    for client in [reader, tap] {
      let lines = try client.lines(untilValues: [1: 2000, 2: 1999, 3: 2000])
      #expect(TestClient.values(1, in: lines) == values)
      #expect(TestClient.values(2, in: lines) == rest)
      #expect(TestClient.values(3, in: lines) == values)
      if client === tap { #expect(TestClient.values(4, in: lines) == Array(values[..<10])) }
    }
    let missed = try tap.ask("CANCEL 4")
    #expect(missed == "OK cancel 4 values=10 missed=1990 undelivered=0")
  }

  @Test("shows what all subscriptions of a pipeline get, those that come later too")
  func pipeline() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a", "PIPELINE p = a.map { $0 * 2 }")
    let first = try server.framed()
    let second = try server.framed()
    let tap = try server.framed()
    let client = try server.framed()
    _ = try first.ask("SUB p 1")
    #expect(try tap.ask("TAP p max") == "OK tap 1 p demand=max")
    _ = try second.ask("SUB p max")
    _ = try second.ask("SUB a.map { $0 * 3 } max")
    for value in 1...3 { #expect(try client.ask("SEND a \(value)").hasPrefix("OK send a to=")) }
    #expect(try first.linesSoFar() == ["= 1 2"])
    #expect(
      try second.linesSoFar() == ["= 1 2", "= 2 3", "= 1 4", "= 2 6", "= 1 6", "= 2 9"]
    )
    #expect(try tap.linesSoFar() == ["= 1 2", "= 1 2", "= 1 4", "= 1 6"])
    let row = try client.ask("LIST streams", rowWith: "* tap ")
    #expect(row.hasSuffix("id=1 name=p demand=max values=4 missed=0"))
    #expect(try tap.ask("CANCEL 1") == "OK cancel 1 values=4 missed=0 undelivered=0")
    _ = try client.ask("SEND a 4")
    #expect(try second.linesSoFar() == ["= 1 8", "= 2 12"])
    #expect(try tap.ask("TAP p max") == "OK tap 2 p demand=max")
    _ = try client.ask("SEND a 5")
    #expect(try tap.linesSoFar() == ["= 2 10"])
    #expect(try client.ask("DELETE p") == "OK delete p")
    #expect(try tap.line() == "FAIL 2 deleted pipeline p was deleted")
    _ = try client.ask("SEND a 6")
    #expect(try second.linesSoFar() == ["= 1 10", "= 2 15", "= 1 12", "= 2 18"])
    #expect(try tap.linesSoFar().isEmpty)
  }

  @Test("shows what a run sends, and how it ends", arguments: ["DONE a", "FAIL a hot it burns"])
  func run(_ end: String) throws {
    let server = try TestServer()
    try server.prepare(
      "SUBJECT a",
      "SUBJECT b flow=slowest",
      "RUN r = a.map { $0 + 1 }.subscribe(b)"
    )
    let tap = try server.framed()
    let client = try server.framed()
    let reader = try server.framed()
    #expect(try tap.ask("TAP r max") == "OK tap 1 r demand=max")
    #expect(try tap.ask("TAP r.2 max") == "OK tap 2 r demand=max")
    #expect(try tap.ask("TAP r.0 1") == "OK tap 3 r demand=1")
    #expect(try client.ask("SEND a 1") == "OK send a to=0 missed=1")
    _ = try reader.ask("SUB b 5")
    #expect(try client.ask("SEND a 2") == "OK send a to=1 missed=0")
    #expect(try tap.linesSoFar() == ["= 3 1", "= 1 3", "= 2 3"])
    #expect(try reader.line() == "= 1 3")
    _ = try client.ask(end)
    let last = end == "DONE a" ? "DONE" : "FAIL"
    let text = end == "DONE a" ? "" : " hot it burns"
    let drop = "DROP 3 1 no-demand"
    let lines = try tap.linesSoFar()
    #expect(Set(lines) == [drop, "\(last) 1\(text)", "\(last) 2\(text)", "\(last) 3\(text)"])
    // What has ended is told to have.
    try tap.say("TAP r as=9")
    #expect(try tap.lines(2) == ["OK tap 9 r demand=0", "\(last) 9\(text)"])
    try tap.say("TAP a as=10")
    #expect(try tap.lines(2) == ["OK tap 10 a demand=0", "\(last) 10\(text)"])
  }

  @Test("ends when its name is deleted, killed or its client goes, in every order")
  func ends() throws {
    let server = try TestServer()
    let client = try server.framed()
    for kind in ["SUBJECT x", "PIPELINE x = s.map { $0 }", "RUN x = s.assign(to: t)"] {
      try server.prepare("SUBJECT s", "SUBJECT t", kind)
      let tap = try server.framed()
      try tap.say("TAP x max", "TAP x", "CANCEL 1", "TAP x")
      #expect(try tap.lines(4).allSatisfy { $0.hasPrefix("OK ") })
      let gone = try server.framed()
      _ = try gone.ask("TAP x max")
      gone.reset()
      #expect(try client.ask("DELETE x") == "OK delete x")
      let lines = try tap.lines(2)
      #expect(lines.allSatisfy { $0.hasPrefix("FAIL ") && $0.contains(" deleted ") }, "\(lines)")
      #expect(try tap.ask("TAP x").hasPrefix("ERR unknown-name unknown name \"x\""))
      try server.prepare(kind)
      _ = try tap.ask("TAP x max as=7")
      #expect(try client.ask("KILL NAME x").hasPrefix("OK kill name x ended="))
      #expect(try tap.line() == "FAIL 7 killed ended by an administrator")
      try server.prepare("DELETE x", "DELETE s", "DELETE t")
    }
  }

  @Test("that is never read holds nobody up")
  func unread() throws {
    let server = try TestServer()
    let client = try server.framed()
    let tap = try server.framed()
    let reader = try server.framed()
    try server.prepare("SUBJECT a flow=slowest")
    _ = try tap.ask("TAP a max")
    _ = try reader.ask("SUB a max")
    let value = String(repeating: "x", count: 100_000)
    for _ in 0..<100 {
      #expect(try client.ask("SEND a \(value)") == "OK send a to=1 missed=0")
      #expect(try reader.line().utf8.count == 100_004)
    }
    server.advance(seconds: 60)
    #expect(try client.ask("SEND a end") == "OK send a to=1 missed=0")
    let lines = try tap.linesSoFar()
    let dropped = lines.filter { $0.hasPrefix("DROP 1 ") }
      .compactMap { Int($0.split(separator: " ")[2]) }.reduce(0, +)
    let fence = try tap.ask("CANCEL 1")
    let missed = fence.split(separator: " ").first { $0.hasPrefix("missed=") }
    let rest = missed.flatMap { Int($0.dropFirst(7)) } ?? 0
    #expect(TestClient.values(1, in: lines).count + dropped + rest == 101)
    #expect(dropped + rest > 0)
  }

  @Test("refuses what cannot be tapped, and says what can")
  func refusals() throws {
    let server = try TestServer()
    try server.prepare(
      "SUBJECT a",
      "PIPELINE p = a.map { $0 }.filter { $0 > 1 }.map { $0 }",
      "PIPELINE q = Just(1).map { $0 }.first()",
      "PIPELINE plain = a"
    )
    let client = try server.framed()
    let answers = [
      "TAP nobody": "ERR unknown-name unknown name \"nobody\"; LIST lists the names",
      "TAP a.1": "ERR usage a is a subject and has no stages; use TAP a",
      "TAP p.9": "ERR usage p has no stage 9; its stages are 0 to 3",
      "TAP plain.1": "ERR usage plain has no stage 1; its stages are 0 to 0",
    ]
    for (line, answer) in answers { #expect(try client.ask(line) == answer) }
    #expect(try client.ask("TAP p.x").hasPrefix("ERR usage stage is \"x\", expected a number"))
    #expect(try client.ask("TAP p.").hasPrefix("ERR usage stage is \"\", expected a number"))
    #expect(try client.ask("TAP 5").hasPrefix("ERR usage name is \"5\""))
    #expect(try client.ask("TAP p.3 1 as=1") == "OK tap 1 p demand=1")
    #expect(try client.ask("TAP p as=1").hasPrefix("ERR id-in-use"))
    #expect(try client.ask("TAP plain 1 as=2") == "OK tap 2 plain demand=1")
    #expect(try client.ask("TAP a.0 1 as=3") == "OK tap 3 a demand=1")
    #expect(try client.ask("SEND a 5") == "= 2 5")
    #expect(try client.lines(2) == ["= 3 5", "OK send a to=0 missed=0"])
  }
}
