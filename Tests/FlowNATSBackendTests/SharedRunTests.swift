import FlowNATSSupport
import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("Runs into subjects in NATS")
struct SharedRunTests {
  private static let run = "RUN r = a.map { $0 * 2 }.assign(to: b)"

  /// A server with two subjects in NATS, of which another server has the lease first, if so.
  private func start(elsewhere: Bool = false) throws -> PlayedServer {
    let play = try PlayedServer(
      lines: "SUBJECT a flow=slowest on=nats",
      "SUBJECT b flow=slowest on=nats"
    )
    guard elsewhere else { return play }
    // The stream of leases is there once somebody has asked for one.
    let client = try play.framed("SUBJECT c on=nats", "RUN x = a.assign(to: c)", "DELETE x")
    play.settle()
    _ = client
    play.play {
      $0.lease("r")
      $0.define("r", Self.run)
    }
    return play
  }

  private func consumers(_ play: PlayedServer, _ name: String) -> [String] {
    play.play { $0.streams["flow_\(name)"]?.consumers.keys.sorted() ?? [] }
  }

  private func names(_ play: PlayedServer) -> [String] {
    play.play { $0.streams["flow_NAMES"]?.messages.map(\.text) ?? [] }
  }

  private func send(_ play: PlayedServer, _ client: TestClient, _ range: ClosedRange<Int>) throws {
    try play.say(client, range.map { "SEND a \($0)" }.joined(separator: "\n"))
    for line in try client.lines(range.count) { #expect(line.hasPrefix("OK send a ")) }
    play.settle()
  }

  @Test("a run is known to NATS before it is answered, and runs where the lease is")
  func known() throws {
    let play = try start()
    let client = try play.framed()
    #expect(try client.ask(Self.run) == "OK run r resume=exact")
    #expect(try client.ask(Self.run) == "OK run r resume=exact")
    play.settle()
    #expect(names(play).last == Self.run)
    #expect(try client.ask("LIST runs").contains(" state=running lease=here resume=exact "))
    _ = try client.line()
    try send(play, client, 1...3)
    #expect(play.stored("b") == ["2", "4", "6"])
    #expect(consumers(play, "a").count == 1)
    #expect(consumers(play, "a")[0].hasPrefix("r-r-3-"))
    #expect(
      try client.ask("LIST subjects").hasPrefix(
        "* subject a passthrough flow=slowest on=nats subscriptions=1 "
      )
    )
    _ = try client.lines(2)
    try play.say(client, "SHOW a")
    let shown = try client.lines(5)
    #expect(shown[2] == "* subscription run=r demand=13")
    #expect(shown[3].hasPrefix("* reader run=r server=") && shown[3].hasSuffix(" behind=0"))
    try play.say(client, "EXPLAIN r")
    let why = #"resume=exact why="each output comes while its value does""#
    #expect(try client.lines(5)[3].hasSuffix(why))
  }

  @Test("an input is acknowledged when its output is stored, and not before")
  func acknowledged() throws {
    let play = try start()
    let client = try play.framed(Self.run)
    play.settle()
    play.fail("PUBLISH flow_b", .refused(0), .lost, .unanswered)
    try play.say(client, "SEND a 1")
    #expect(try client.line() == "OK send a seq=1")
    play.advance(seconds: 1)
    #expect(play.takeRequests("ACK").isEmpty)
    play.advance(seconds: 6)
    #expect(play.stored("b") == ["2"])
    #expect(play.takeRequests("ACK") == ["ACK 1"])
  }

  @Test("a value that costs much gives its output all the same, and by its own place")
  func costly() throws {
    let play = try start()
    let costly = "a.map { (1...3000).map { $0 * 2 }.count + $0 }.filter { $0 > 0 }"
    let client = try play.framed("RUN r = \(costly).assign(to: b)")
    #expect(try client.ask("LIST runs").contains(" resume=exact "))
    _ = try client.line()
    play.fail("PUBLISH flow_b", .lost)
    try send(play, client, 1...60)
    play.advance(seconds: 9)
    try send(play, client, 61...100)
    let id = play.play { $0.definition(of: "r") }
    let outputs = { play.play { Set($0.streams["flow_b"]?.ids.keys.map { $0 } ?? []) } }
    // A turn takes a few of them, and those behind wait for the next one.
    try Patience.wait(for: "100 outputs") {
      play.settle()
      return outputs().count >= 100
    }
    #expect(try client.ask("LIST runs").contains(" state=running "))
    #expect(outputs() == Set((1...100).map { "r.\(id).\($0)" }))
  }

  @Test("values that wait for a turn get one, though others use up each of them")
  func busy() throws {
    let play = try start()
    let costly = "a.map { (1...3000).map { $0 * 2 }.count + $0 }"
    let client = try play.framed("RUN r = \(costly).assign(to: b)")
    let other = try play.framed()
    try play.say(other, "SUB (1...9000000000000).publisher.filter { $0 < 0 } max")
    try send(play, client, 1...30)
    let id = play.play { $0.definition(of: "r") }
    try Patience.wait(for: "the output of value 30") {
      play.settle()
      return play.play { $0.streams["flow_b"]?.ids["r.\(id).30"] } != nil
    }
  }

  @Test("where it reads anew, its consumer begins behind what is acknowledged, and no later")
  func readsAnew() throws {
    let play = try start()
    let client = try play.framed(Self.run)
    play.settle()
    play.fail("PUBLISH flow_b", .lost, .lost)
    try send(play, client, 1...3)
    play.play { nats in
      guard let consumer = nats.streams["flow_a"]?.consumers.values.first else { return }
      nats.dropPulls(consumer, "409 Leadership Change")
    }
    play.advance(seconds: 1)
    // A server that dies now has the next one begin there.
    #expect(consumers(play, "a").count == 1)
    #expect(play.play { $0.streams["flow_a"]?.consumers.values.first?.floor } == 0)
    play.advance(seconds: 9)
    try send(play, client, 4...4)
    #expect(play.stored("b") == ["2", "4", "6", "8"])
    #expect(play.play { $0.streams["flow_a"]?.consumers.values.first?.floor } == 4)
  }

  @Test("without the lease it does not run; with it, it goes on where the other server was")
  func takesOver() throws {
    let play = try start(elsewhere: true)
    let client = try play.framed(Self.run)
    #expect(try client.ask("LIST runs").contains(" lease=elsewhere "))
    _ = try client.line()
    play.play { $0.consume("a", "r-r-\($0.definition(of: "r"))-other-7", upTo: 0) }
    try send(play, client, 1...5)
    #expect(play.stored("b") == [])
    play.advance(seconds: 4)
    play.play { $0.lease("r") }
    play.advance(seconds: 9)
    #expect(play.stored("b") == [])
    // The other one had stored two and acknowledged one.
    play.play { nats in
      let id = nats.definition(of: "r")
      nats.consume("a", "r-r-\(id)-other-7", upTo: 1)
      for (sequence, text) in [(1, "2"), (2, "4")] {
        nats.put(text, into: "b")
        nats.streams["flow_b"]?.ids["r.\(id).\(sequence)"] = UInt64(sequence)
      }
    }
    play.advance(seconds: 5)
    #expect(play.stored("b") == ["2", "4", "6", "8", "10"])
    #expect(!consumers(play, "a").contains { $0.contains("other") })
  }

  @Test("a lease that was renewed without an answer is still this server's", arguments: [1, 5])
  func unheardRenewal(_ count: Int) throws {
    let play = try start()
    let client = try play.framed(Self.run)
    play.play { $0.faults["LEASES PUBLISH"] = Array(repeating: .unanswered, count: count) }
    // Half a second after the last that is not answered, each after 2 s.
    play.advance(seconds: 3.5 + 2.5 * Double(count))
    #expect(try client.ask("LIST runs").contains(" lease=here "))
    #expect(play.play { $0.faults["LEASES PUBLISH"] } == [])
  }

  @Test("a server that hears no more of its lease stops, and goes on when it has it again")
  func loses() throws {
    let play = try start()
    let client = try play.framed(Self.run)
    play.settle()
    try send(play, client, 1...2)
    let before = consumers(play, "a")
    play.play { $0.steal("r") }
    play.advance(seconds: 4)
    #expect(try client.ask("LIST runs").contains(" lease=elsewhere "))
    _ = try client.line()
    try send(play, client, 3...4)
    #expect(play.stored("b") == ["2", "4"])
    #expect(consumers(play, "a") == before)
    play.advance(seconds: 12)
    #expect(play.stored("b") == ["2", "4", "6", "8"])
  }

  @Test("a server that lost its lease while NATS was away reads nothing more")
  func leaseLostWithNATS() throws {
    let play = try start()
    let client = try play.framed(Self.run)
    try send(play, client, 1...1)
    play.play { nats in
      // NATS keeps leases in memory, and has restarted.
      nats.streams["flow_LEASES"]?.messages = []
      nats.lease("r")
      nats.disconnect()
      nats.put("7", into: "a")
    }
    play.advance(seconds: 2)
    #expect(play.stored("b") == ["2"])
    #expect(try client.ask("LIST runs").contains(" lease=elsewhere "))
    _ = try client.line()
    play.advance(seconds: 15)
    #expect(play.stored("b") == ["2", "14"])
  }

  @Test("a run keeps its definer's rights on other servers, which refuse more")
  func rights() throws {
    var configuration = Configuration()
    configuration.tokens = [
      Token("all"), Token("some", rights: [.subscribe, .send, .define], pattern: "a,b,r,s"),
    ]
    let play = try PlayedServer(configuration)
    let client = try play.framed("AUTH all")
    for name in ["a", "b", "secret"] { _ = try client.ask("SUBJECT \(name) on=nats") }
    let limited = try play.framed("AUTH some")
    #expect(try limited.ask(Self.run) == "OK run r resume=exact")
    play.settle()
    let rights = "\nrights sub,send,define a,b,r,s"
    #expect(names(play).last == Self.run + rights)
    // The runs as another server sees them.
    play.play { nats in
      nats.define("q", "RUN q = secret.assign(to: b)" + rights)
      nats.define("p", "RUN p = a.assign(to: secret)" + rights)
      nats.define("o", "RUN o = a.assign(to: b)\nrights many a")
      nats.define("s", "RUN s = a.assign(to: b)" + rights)
      nats.define("t", "RUN t = secret.assign(to: b)")
    }
    play.settle()
    try play.say(client, "LIST runs")
    let runs = try client.rest { $0.hasPrefix("OK list ") }.compactMap {
      $0.split(separator: " ").dropFirst(2).first.map(String.init)
    }
    #expect(runs.sorted().filter { "opqrst".contains($0) } == ["r", "s", "t"])
    // The end of a run is stored with the same rights.
    #expect(try client.ask("DELETE a") == "OK delete a")
    play.advance(seconds: 1)
    #expect(names(play).contains(Self.run + rights + "\nfail deleted subject a was deleted"))
  }

  @Test("the end of its subject ends it on all servers, with what came before")
  func ends() throws {
    let play = try start()
    let client = try play.framed("RUN r = a.map { $0 * 2 }.subscribe(b)", "SUB b 9")
    play.settle()
    try play.say(client, "SEND a 1\nDONE a")
    play.advance(seconds: 2)
    #expect(
      Set(try client.lines(4)) == ["OK send a seq=1", "OK done a", "= 1 2", "DONE 1"]
    )
    #expect(names(play).last == "RUN r = a.map { $0 * 2 }.subscribe(b)\ndone")
    #expect(consumers(play, "a") == [])
    #expect(try client.ask("LIST runs").contains(" state=finished resume=exact "))
    _ = try client.line()
    #expect(play.play { $0.streams["flow_LEASES"]?.messages.count } == 0)
  }

  @Test("the end of a run needs no room in NATS")
  func endWithoutRoom() throws {
    let play = try start()
    let client = try play.framed(Self.run)
    play.settle()
    play.play { $0.faults["NAMES PUBLISH"] = Array(repeating: .refused(10047), count: 100) }
    #expect(try client.ask("DONE a") == "OK done a")
    play.advance(seconds: 2)
    let mark = play.play { "e-\($0.definition(of: "r"))" }
    #expect(consumers(play, "NAMES").contains(mark))
    #expect(consumers(play, "a").isEmpty)
    play.play { $0.disconnect() }
    play.advance(seconds: 2)
    #expect(try client.ask("LIST runs").contains(" state=finished "))
    #expect(try client.line() == "OK list 1")
    #expect(try client.ask("DELETE r") == "OK delete r")
    play.settle()
    #expect(!consumers(play, "NAMES").contains(mark))
  }

  @Test("a run that has ended, and loses its lease before that is known, has all outputs stored")
  func endsAgain() throws {
    let play = try start()
    let client = try play.framed("RUN r = a.map { $0 * 2 }.subscribe(b)")
    play.fail("PUBLISH flow_b", .lost, .lost, .lost, .lost, .lost, .lost, .lost)
    try play.say(client, "SEND a 1\nSEND a 2\nDONE a")
    play.advance(seconds: 1)
    play.play { $0.steal("r") }
    play.advance(seconds: 5)
    #expect(play.stored("b") == [])
    play.advance(seconds: 40)
    #expect(play.stored("b").prefix(2) == ["2", "4"])
    #expect(play.stored("b").count == 3)
    #expect(names(play).last == "RUN r = a.map { $0 * 2 }.subscribe(b)\ndone")
  }

  @Test("a run that fails has failed on all servers; one elsewhere has here")
  func fails() throws {
    let play = try start(elsewhere: true)
    let client = try play.framed(Self.run, "RUN f = a.tryMap { $0.x.y * 1 }.assign(to: b)")
    play.settle()
    try send(play, client, 1...1)
    play.advance(seconds: 1)
    #expect(
      names(play).last?.hasPrefix("RUN f = a.tryMap { $0.x.y * 1 }.assign(to: b)\nfail ") == true
    )
    play.play { $0.define("r", Self.run + "\nfail too-hot it burns") }
    play.settle()
    try play.say(client, "LIST runs")
    let rows = try client.lines(3)
    #expect(rows[0].contains(" state=failed ") && rows[1].contains(" state=failed "))
  }

  @Test("DELETE deletes it everywhere, with its consumers")
  func deleted() throws {
    let play = try start()
    let client = try play.framed(Self.run)
    play.settle()
    try send(play, client, 1...1)
    #expect(try client.ask("DELETE r") == "OK delete r")
    play.settle()
    #expect(consumers(play, "a") == [])
    #expect(names(play).last == "DELETE")
    #expect(try client.ask("LIST runs") == "OK list 0")
    // Another one of this name has its outputs stored, though the inputs may be the same ones.
    #expect(try client.ask(Self.run) == "OK run r resume=exact")
    play.settle()
    try send(play, client, 2...2)
    #expect(play.stored("b") == ["2", "4"])
    play.play { $0.define("r", "DELETE") }
    play.settle()
    #expect(try client.ask("LIST runs") == "OK list 0")
  }

  @Test("one that another server has defined is there when what it needs is")
  func elsewhere() throws {
    let play = try start()
    let client = try play.framed()
    play.play { $0.define("r", "RUN r = twice.assign(to: b)") }
    play.settle()
    #expect(try client.ask("LIST runs") == "OK list 0")
    #expect(try client.ask("PIPELINE twice = a.map { $0 * 2 }") == "OK pipeline twice stages=2")
    play.advance(seconds: 1)
    try send(play, client, 1...1)
    #expect(play.stored("b") == ["2"])
    #expect(try client.ask("RUN r = a.assign(to: b)").hasPrefix("ERR exists "))
  }

  @Test("what a run makes of values later comes again, from where nothing was inside")
  func again() throws {
    let play = try start()
    let client = try play.framed()
    let run = "RUN r = a.flatMap { Just($0).delay(for: 5) }.assign(to: b)"
    #expect(try client.ask(run) == "OK run r resume=again")
    play.settle()
    try send(play, client, 1...2)
    #expect(play.takeRequests("ACK").isEmpty)
    play.advance(seconds: 6)
    #expect(play.stored("b") == ["1", "2"])
    #expect(play.takeRequests("ACK") == ["ACK 2"])
    try send(play, client, 3...3)
    play.advance(seconds: 4.5)
    try send(play, client, 4...4)
    play.advance(seconds: 0.75)
    // One is stored, the other inside.
    #expect(play.stored("b") == ["1", "2", "3"])
    play.play { $0.steal("r") }
    play.advance(seconds: 25)
    #expect(play.stored("b") == ["1", "2", "3", "3", "4"])
    #expect(play.takeRequests("ACK").last == "ACK 4")
    try play.say(client, "EXPLAIN r")
    let why = #"resume=again why="what flatMap makes of a value comes later, and ends""#
    #expect(try client.lines(6).contains { $0.hasSuffix(why) })
  }

  @Test("a run has at most 256 inputs of which something is inside, and goes on behind them")
  func batches() throws {
    let play = try start()
    let client = try play.framed("RUN r = a.flatMap { Just($0).delay(for: 1) }.assign(to: b)")
    play.settle()
    try send(play, client, 1...600)
    #expect(play.play { $0.streams["flow_a"]?.consumers.values.first?.given } == 256)
    // On a slow machine, or under a sanitizer, the values are handed on over more turns.
    for _ in 0..<60 where play.stored("b").count < 600 { play.advance(seconds: 1) }
    #expect(play.stored("b") == (1...600).map { "\($0)" })
    #expect(play.takeRequests("ACK").last == "ACK 600")
  }

  @Test(
    "a run whose subject is deleted fails, also where it does not run, and is no other one's then"
  )
  func subjectDeleted() throws {
    let play = try start(elsewhere: true)
    let client = try play.framed(Self.run)
    #expect(try client.ask("DELETE a") == "OK delete a")
    play.settle()
    play.advance(seconds: 1)
    #expect(
      names(play).last == "DELETE" || names(play).last?.hasSuffix("subject a was deleted") == true
    )
    #expect(try client.ask("LIST runs").contains(" state=failed "))
    _ = try client.line()
    #expect(names(play).contains(Self.run + "\nfail deleted subject a was deleted"))
  }

  @Test("a run of another server that would lead in a circle is not to be had, and can be deleted")
  func circle() throws {
    let play = try start()
    let client = try play.framed("RUN c = a.assign(to: b)")
    play.play { $0.define("d", "RUN d = b.assign(to: a)") }
    play.settle()
    #expect(try client.ask("LIST runs").contains("run c = "))
    #expect(try client.line() == "OK list 1")
    // What is not to be had here can be deleted all the same.
    #expect(try client.ask("DELETE d") == "OK delete d")
    #expect(names(play).last == "DELETE")
    #expect(try client.ask("DELETE d").hasPrefix("ERR unknown-name "))
  }

  @Test("a run is deleted also where it is being defined, and where it has just ended")
  func deletedAtOnce() throws {
    let play = try start()
    let client = try play.framed()
    try play.say(client, "\(Self.run)\nDELETE r")
    play.advance(seconds: 1)
    #expect(try client.lines(2) == ["OK run r resume=exact", "OK delete r"])
    #expect(names(play).last == "DELETE")
    #expect(try client.ask("LIST runs") == "OK list 0")
    _ = try client.ask(Self.run)
    play.play { $0.define("r", Self.run + "\ndone") }
    try play.say(client, "DELETE r")
    play.settle()
    #expect(try client.line() == "OK delete r")
    #expect(names(play).last == "DELETE")
    #expect(try client.ask("LIST runs") == "OK list 0")
    // Deleted elsewhere when it had ended.
    _ = try client.ask(Self.run)
    play.play {
      $0.define("r", Self.run + "\ndone")
      $0.define("r", "DELETE")
    }
    play.settle()
    #expect(try client.ask("LIST runs") == "OK list 0")
  }

  @Test("a definition that was given up is not put into NATS later")
  func givenUp() throws {
    let play = try start(elsewhere: true)
    let client = try play.framed()
    play.play { $0.lease("q") }
    let run = "RUN q = a.assign(to: b)"
    try play.say(client, run)
    // Another server has the lease, and defines nothing.
    for _ in 0..<8 {
      play.advance(seconds: 2)
      play.play { $0.lease("q") }
    }
    #expect(try client.line().hasPrefix("ERR away "))
    play.play { $0.define("q", "DELETE") }
    play.advance(seconds: 12)
    #expect(!names(play).contains(run))
    #expect(try client.ask("LIST runs").contains("run r = "))
    _ = try client.line()
  }

  @Test("a run is defined once the lease of a server that died is over")
  func leaseOfTheDead() throws {
    let play = try start(elsewhere: true)
    let client = try play.framed()
    play.play { $0.lease("q") }
    try play.say(client, "RUN q = a.assign(to: b)")
    play.advance(seconds: 14)
    #expect(try client.line() == "OK run q resume=exact")
  }

  @Test("a run keeps its place when the stream of names is lost")
  func namesLost() throws {
    let play = try start()
    let client = try play.framed(Self.run)
    try send(play, client, 1...2)
    let id = consumers(play, "a").first?.split(separator: "-")[2]
    play.play { nats in
      nats.streams["flow_NAMES"] = nil
      nats.disconnect()
    }
    play.advance(seconds: 4)
    try send(play, client, 3...4)
    play.advance(seconds: 1)
    #expect(play.stored("b") == ["2", "4", "6", "8"])
    #expect(consumers(play, "a").allSatisfy { $0.split(separator: "-")[2] == id })
    #expect(names(play).contains(Self.run + "\nwas \(id ?? "")"))
  }

  @Test("large values are asked for a few at a time")
  func large() throws {
    let play = try start()
    let client = try play.framed("RUN r = a.map { $0 }.assign(to: b)")
    play.settle()
    for number in 1...40 {
      let value = String(repeating: "x", count: 900_000)
      try play.say(client, "SEND a \"\(number)\(value)\"")
      #expect(try client.line().hasPrefix("OK send "))
    }
    play.fail("PUBLISH flow_b", .lost, .lost)
    let asked = play.play {
      $0.streams["flow_a"]?.consumers.values.first.map { $0.asked - $0.given }
    }
    #expect(asked ?? 99 <= 16)
    play.advance(seconds: 8)
    #expect(play.stored("b").count == 40)
  }

  @Test("STATS tells of NATS, where there is one")
  func statistics() throws {
    let play = try start()
    let client = try play.framed(Self.run)
    play.settle()
    try send(play, client, 1...3)
    try play.say(client, "STATS")
    var samples: [Substring: Substring] = [:]
    while case let line = try client.line(), line.hasPrefix("* ") {
      let words = line.dropFirst(2).split(separator: " ")
      samples[words[0]] = words[1]
    }
    let expected: [Substring: Substring] = [
      "flow_nats_up": "1", "flow_nats_reconnects_total": "0", "flow_nats_leases": "1",
      "flow_nats_values_total{direction=\"in\"}": "3",
      "flow_nats_values_total{direction=\"out\"}": "6", "flow_nats_unanswered_values": "0",
      "flow_nats_gap_values_total": "0", "flow_nats_batches_total{outcome=\"unknown\"}": "0",
    ]
    for (name, value) in expected { #expect(samples[name] == value, "\(name)") }
    try client.say("STATS r")
    let ofRun = try client.rest { $0.hasPrefix("OK stats ") }
    #expect(ofRun.contains("* flow_run_running{run=\"r\"} 1"))
    let server = try TestServer()
    let plain = try server.framed()
    try plain.say("STATS")
    let rows = try plain.rest { $0.hasPrefix("OK stats ") }
    #expect(!rows.contains { $0.contains("nats") })
  }

  @Test(
    "says how a run goes on",
    arguments: [
      ("a.map { $0 }", "exact"), ("a.tryMap { $0 }.filter { $0 > 1 }.print()", "exact"),
      ("a.flatMap { ask(double, $0) }", "again"),
      ("a.map { $0 }.concatMap { [$0, 1].publisher.flatMap { Just($0) } }", "again"),
      ("a.flatMap { Timer.publish(every: 1).autoconnect() }", "fresh"),
      ("a.flatMap { c.first() }", "fresh"), ("a.flatMap { Just($0).merge(with: c) }", "fresh"),
      ("a.merge(with: c)", "fresh"), ("a.prefix(3)", "fresh"),
      ("a.flatMapLatest { Just($0) }", "fresh"),
      ("Timer.publish(every: 1).autoconnect()", "fresh"), ("cur.map { $0 }", "fresh"),
    ]
  )
  func kinds(_ expression: String, _ resume: String) throws {
    let play = try start()
    let client = try play.framed("SUBJECT c on=nats", "SUBJECT cur current 1 on=nats")
    #expect(try client.ask("RUN r = \(expression).assign(to: b)") == "OK run r resume=\(resume)")
  }

  @Test("a run that keeps values begins anew, and reads what came meanwhile")
  func fresh() throws {
    let play = try start()
    let client = try play.framed()
    let run = "RUN r = a.scan(0) { $0 + $1 }.assign(to: b)"
    #expect(try client.ask(run) == "OK run r resume=fresh")
    play.settle()
    try send(play, client, 1...3)
    #expect(play.stored("b") == ["1", "3", "6"])
    play.play { $0.steal("r") }
    play.advance(seconds: 4)
    try send(play, client, 4...5)
    play.advance(seconds: 12)
    #expect(play.stored("b") == ["1", "3", "6", "4", "9"])
    try play.say(client, "EXPLAIN r")
    let why = #"resume=fresh why="scan may keep values, or make more of one""#
    #expect(try client.lines(5)[3].hasSuffix(why))
  }

  @Test("a run of what each server has for itself is one of each server")
  func local() throws {
    let play = try start()
    let client = try play.framed("SUBJECT taps")
    #expect(try client.ask("RUN r = taps.assign(to: b)") == "OK run r")
    #expect(try client.ask("SEND taps 1") == "OK send taps to=1 missed=0")
    play.settle()
    #expect(play.stored("b") == ["1"])
    #expect(!names(play).contains { $0.hasPrefix("RUN") })
  }
}
