import FlowNATSSupport
import FlowServerSupport
import FlowTestSupport
import FlowTransport
import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("Durable subscriptions")
struct DurableTests {
  private func start(_ flow: String = "slowest") throws -> PlayedServer {
    try PlayedServer(lines: "SUBJECT a flow=\(flow) on=nats", "SUBJECT here")
  }

  private func send(_ play: PlayedServer, _ range: ClosedRange<Int>) throws {
    let client = try play.framed()
    try play.say(client, range.map { "SEND a \($0)" }.joined(separator: "\n"))
    for line in try client.lines(range.count) { #expect(line.hasPrefix("OK send a ")) }
    play.settle()
  }

  private func floor(_ play: PlayedServer, _ name: String = "x") -> UInt64? {
    play.play { nats in
      nats.streams["flow_a"]?.consumers.values.filter { $0.name.hasPrefix("d-\(name)-") }
        .map(\.floor).max()
    }
  }

  /// Waits for the floor `wanted`, since on a busy machine a REQ takes more turns.
  private func waitForFloor(_ wanted: UInt64, _ play: PlayedServer) throws {
    try Patience.wait(for: "the floor \(wanted) of the consumer") {
      play.settle()
      return floor(play) == wanted
    }
  }

  /// Subscribes durably and cancels; returns the client.
  private func leave(_ play: PlayedServer) throws -> TestClient {
    let client = try play.framed()
    _ = try subscribe(play, client, 1)
    try play.say(client, "CANCEL 1")
    _ = try client.line()
    play.advance(seconds: 1)
    return client
  }

  private func subscribe(
    _ play: PlayedServer,
    _ client: TestClient,
    _ demand: Int,
    id: Int = 1
  ) throws -> String {
    try play.say(client, "SUB a \(demand) durable=x as=\(id)")
    play.advance(seconds: 1)
    return try client.line()
  }

  @Test("each REQ acknowledges the oldest values; others come again to whoever comes back")
  func acknowledges() throws {
    let play = try start()
    let first = try play.framed()
    #expect(try subscribe(play, first, 2) == "OK sub 1 a demand=2")
    try send(play, 1...4)
    #expect(try first.lines(2) == ["= 1 1", "= 1 2"])
    try waitForFloor(0, play)
    try play.say(first, "REQ 1 1")
    #expect(try first.line() == "= 1 3")
    try waitForFloor(1, play)
    try play.say(first, "CANCEL 1")
    #expect(try first.line() == "OK cancel 1 values=3 missed=0 undelivered=0")
    let second = try play.framed()
    #expect(try subscribe(play, second, 3) == "OK sub 1 a demand=3")
    #expect(try second.lines(3) == ["= 1 2", "= 1 3", "= 1 4"])
    // What has not come cannot be acknowledged.
    try play.say(second, "REQ 1 9")
    try send(play, 5...5)
    #expect(try second.line() == "= 1 5")
    try waitForFloor(4, play)
    try play.close(second)
    play.advance(seconds: 1)
    #expect(try subscribe(play, first, 1) == "OK sub 1 a demand=1")
    #expect(try first.line() == "= 1 5")
  }

  @Test("a REQ and a CANCEL at once acknowledge, and who comes back at once goes on behind it")
  func atOnce() throws {
    let play = try start()
    let client = try play.framed()
    _ = try subscribe(play, client, 2)
    try send(play, 1...2)
    _ = try client.lines(2)
    try play.say(client, "REQ 1 2\nCANCEL 1\nSUB a 1 as=2 durable=x")
    play.advance(seconds: 2)
    #expect(
      try client.lines(2) == [
        "OK cancel 1 values=2 missed=0 undelivered=0", "OK sub 2 a demand=1",
      ]
    )
    try send(play, 3...3)
    #expect(try client.line() == "= 2 3")
    try waitForFloor(2, play)
  }

  @Test("one client at a time has it; on other servers that is known by its lease")
  func exclusive() throws {
    let play = try start()
    let (first, second) = (try play.framed(), try play.framed())
    _ = try subscribe(play, first, 1)
    let inUse = "ERR exists another client has the durable subscription x of a"
    #expect(try subscribe(play, second, 1) == inUse)
    // Another name, and the same name of another subject, are others.
    #expect(try second.ask("SUBJECT b on=nats").hasPrefix("OK"))
    try play.say(second, "SUB b 1 durable=x\nSUB a 1 durable=x-y")
    play.advance(seconds: 1)
    #expect(try second.lines(2) == ["OK sub 1 b demand=1", "OK sub 2 a demand=1"])
    try play.say(first, "CANCEL 1")
    _ = try first.line()
    play.advance(seconds: 2)
    play.play { $0.lease("d.a.x") }
    try play.say(first, "SUB a 1 durable=x as=7")
    play.advance(seconds: 2)
    play.play { $0.lease("d.a.x") }
    play.advance(seconds: 1)
    #expect(try first.line() == inUse)
    // It is open no more.
    try play.say(first, "CANCEL 7")
    #expect(try first.line() == "OK cancel 7 ended")
  }

  @Test("where the server died that had it, it goes on within 12 s where that was")
  func takesOver() throws {
    let play = try start()
    let client = try leave(play)
    try send(play, 1...5)
    play.play { nats in
      nats.lease("d.a.x")
      nats.streams["flow_a"]?.consumers = [:]
      nats.consume("a", "d-x-other-7", upTo: 2)
      nats.consume("a", "d-x-y-other-8", upTo: 4)
    }
    try play.say(client, "SUB a 9 durable=x")
    play.advance(seconds: 11)
    #expect(
      try client.lines(4) == ["OK sub 2 a demand=9", "= 2 3", "= 2 4", "= 2 5"]
    )
    let left = play.play { $0.streams["flow_a"]?.consumers.keys.sorted() ?? [] }
    #expect(left.count == 2 && !left.contains("d-x-other-7"))
  }

  @Test("one that NATS has not given is never said to be had, though its client goes")
  func isLeftBefore() throws {
    let play = try start()
    play.play { $0.lease("d.a.x") }
    let client = try play.framed()
    try play.say(client, "SUB a 2 durable=x\nQUIT now")
    let rest = try client.rest()
    let text = "NATS has not answered; durable=x of a may or may not have been opened"
    #expect(rest.first == "ERR away \(text)", "\(rest)")
  }

  @Test("whoever sends no more has its values though it waits for it longer than it may be without")
  func inputEnds() throws {
    var configuration = Configuration()
    configuration.timeouts.linger = 2_000_000_000
    let play = try PlayedServer(configuration, lines: "SUBJECT a flow=slowest on=nats")
    _ = try leave(play)
    try send(play, 1...3)
    play.play { $0.lease("d.a.x") }
    let netcat = try play.server.connect()
    try play.say(netcat, "SUB a 9 durable=x")
    netcat.endInput()
    play.advance(seconds: 11)
    #expect(try netcat.lines(4) == ["OK sub 1 a demand=9", "= 1 1", "= 1 2", "= 1 3"])
    play.advance(seconds: 3)
    let rest = try netcat.rest()
    #expect(rest.isEmpty, "\(rest)")
  }

  @Test("values that come anew are not handed on twice, and can still be acknowledged")
  func readsAnew() throws {
    let play = try start()
    let client = try play.framed()
    _ = try subscribe(play, client, 5)
    try send(play, 1...3)
    #expect(try client.lines(3) == ["= 1 1", "= 1 2", "= 1 3"])
    play.play { nats in
      guard let consumer = nats.streams["flow_a"]?.consumers.values.first else { return }
      nats.dropPulls(consumer, "409 Leadership Change")
    }
    play.advance(seconds: 1)
    try waitForFloor(0, play)
    try send(play, 4...4)
    #expect(try client.line() == "= 1 4")
    try play.say(client, "REQ 1 2")
    try waitForFloor(2, play)
    play.play { $0.disconnect() }
    play.advance(seconds: 3)
    try play.say(client, "REQ 1 2")
    try waitForFloor(4, play)
    try send(play, 5...9)
    #expect(try client.lines(5) == (5...9).map { "= 1 \($0)" })
  }

  @Test("a REQ while NATS is away acknowledges when it is back")
  func acknowledgesLater() throws {
    let play = try start()
    let client = try play.framed()
    _ = try subscribe(play, client, 5)
    try send(play, 1...3)
    _ = try client.lines(3)
    play.play { nats in
      nats.isThere = false
      nats.disconnect()
    }
    play.advance(seconds: 1)
    try play.say(client, "REQ 1 2")
    play.play { $0.isThere = true }
    play.advance(seconds: 3)
    try waitForFloor(2, play)
    try play.say(client, "CANCEL 1\nSUB a 5 durable=x as=2")
    play.advance(seconds: 2)
    #expect(try client.lines(3).last == "= 2 3")
  }

  @Test("when NATS was away for long, it goes on, unless another client has it meanwhile")
  func lostLease() throws {
    let play = try start()
    let client = try play.framed()
    _ = try subscribe(play, client, 5)
    try send(play, 1...2)
    _ = try client.lines(2)
    for isTaken in [false, true] {
      play.play { nats in
        nats.isThere = false
        nats.disconnect()
      }
      play.advance(seconds: 20)
      play.play { nats in
        nats.isThere = true
        if isTaken { nats.lease("d.a.x") }
      }
      for _ in 0..<3 {
        play.advance(seconds: 2)
        if isTaken { play.play { $0.lease("d.a.x") } }
      }
      if isTaken {
        let text = "NATS was away, and another client has the durable subscription x of a now"
        #expect(try client.line() == "FAIL 1 away \(text)")
      } else {
        try play.say(client, "REQ 1 1")
        try send(play, 3...3)
        #expect(try client.line() == "= 1 3")
        try waitForFloor(1, play)
      }
    }
  }

  @Test("after DONE what came before can still be acknowledged; the end comes again with the rest")
  func ends() throws {
    let play = try start()
    let client = try play.framed()
    _ = try subscribe(play, client, 5)
    try send(play, 1...3)
    try play.say(client, "DONE a")
    play.advance(seconds: 1)
    #expect(
      Set(try client.lines(5)) == ["= 1 1", "= 1 2", "= 1 3", "OK done a", "DONE 1"]
    )
    // Whoever comes back gets what is not acknowledged, also while that could still be done.
    let early = try play.framed()
    #expect(try subscribe(play, early, 1) == "OK sub 1 a demand=1")
    #expect(try early.line() == "= 1 1")
    try play.close(early)
    play.advance(seconds: 1)
    #expect(try subscribe(play, client, 5) == "OK sub 1 a demand=5")
    #expect(try client.lines(4) == ["= 1 1", "= 1 2", "= 1 3", "DONE 1"])
    try play.say(client, "REQ 1 2")
    try waitForFloor(2, play)
    try play.say(client, "@t REQ 1 1")
    #expect(try client.line() == "@t OK req 1 ended")
    try waitForFloor(3, play)
    // All is acknowledged: somebody else may have it.
    play.advance(seconds: 1)
    let other = try play.framed()
    #expect(try subscribe(play, other, 1) == "OK sub 1 a demand=1")
    #expect(try other.line() == "DONE 1")
  }

  @Test("publishers wait for it while no client has it, until it is deleted")
  func holdsUp() throws {
    let play = try PlayedServer(lines: "SUBJECT a flow=slowest room=2 on=nats")
    let (client, reader) = (try play.framed(), try play.framed("SUB a 99"))
    _ = try subscribe(play, client, 1)
    try play.say(client, "CANCEL 1")
    _ = try client.line()
    play.advance(seconds: 1)
    try send(play, 1...2)
    try play.say(client, "SEND a 3")
    play.advance(seconds: 40)
    #expect(try client.line() == "ERR no-demand a had no room for 5000 ms; the value was not sent")
    #expect(try reader.lines(2) == ["= 1 1", "= 1 2"])
    try play.say(client, "DELETE a durable=y\nDELETE a durable=x")
    play.advance(seconds: 2)
    #expect(try client.line() == "ERR unknown-name a has no durable subscription y; it has x")
    #expect(try client.line() == "OK delete a durable=x")
    try send(play, 4...5)
    #expect(try reader.lines(2) == ["= 1 4", "= 1 5"])
  }

  @Test("SHOW tells who reads the subject on all servers, and who is furthest behind")
  func shown() throws {
    let play = try start()
    let client = try play.framed("SUB a 2 as=1")
    _ = try subscribe(play, client, 1, id: 2)
    play.play { nats in
      nats.consume("a", "d-y-z-other-8", upTo: 0)
      nats.consume("a", "r-q-17-other-8", upTo: 1)
      nats.consume("a", "s-other-9", upTo: 2)
      nats.consume("a", "somebody", upTo: 2)
    }
    try send(play, 1...3)
    play.advance(seconds: 1)
    _ = try client.lines(3)
    try play.say(client, "REQ 2 1")
    play.advance(seconds: 1)
    #expect(try client.line() == "= 2 2")
    try play.say(client, "SHOW a")
    let rows = try client.lines(11)
    #expect(rows[1].contains(" room=4096 "))
    let readers = rows[4...9].map {
      $0.replacing(play.server.server.perform { $0.clients.place }, with: "here")
    }
    #expect(
      Set(readers) == [
        "* reader durable=y-z server=elsewhere:4050 behind=3",
        "* reader run=q server=elsewhere:4050 behind=2", "* reader durable=x server=here behind=2",
        "* reader subscriptions server=elsewhere:4050 behind=1",
        "* reader subscriptions server=here behind=1",
        "* reader consumer=somebody server=elsewhere:4050 behind=1",
      ]
    )
    #expect(readers[0].hasSuffix("behind=3") && readers[5].hasSuffix("behind=1"))
    #expect(rows[10] == "OK show a")
    // What is said behind it is answered behind it.
    play.play { $0.listed = #","missing":["s-x-1"]"# }
    try play.say(client, "SHOW a\nPING x")
    play.advance(seconds: 1)
    #expect(try client.lines(7).suffix(3) == ["* readers unknown", "OK show a", "PONG x"])
  }

  @Test("on a flow=free subject nothing is missed for want of demand either")
  func free() throws {
    let play = try start("free")
    let client = try play.framed()
    _ = try subscribe(play, client, 1)
    try send(play, 1...4)
    #expect(try client.line() == "= 1 1")
    try play.say(client, "REQ 1 3")
    #expect(try client.lines(3) == ["= 1 2", "= 1 3", "= 1 4"])
  }

  @Test("says what does not go with it")
  func refused() throws {
    let play = try start()
    let client = try play.framed("PIPELINE p = a.map { $0 }")
    let max = "max does not go with durable, as each REQ acknowledges a number"
    #expect(try client.ask("SUB a max durable=x").hasPrefix("ERR usage \(max)"))
    #expect(try client.ask("SUB here 1 durable=x").hasPrefix("ERR usage durable takes a subject "))
    #expect(try client.ask("SUB p 1 durable=x").hasPrefix("ERR usage durable takes a subject on"))
    #expect(try client.ask("SUB nope 1 durable=x").hasPrefix("ERR unknown-name "))
    #expect(try client.ask("SUB a 1 durable=1x").hasPrefix("ERR usage durable is \"1x\", exp"))
    #expect(try client.ask("TAKE a 1 durable=x").hasPrefix("ERR usage unknown option"))
    #expect(try client.ask("DELETE here durable=x").hasPrefix("ERR usage durable takes a subj"))
    _ = try subscribe(play, client, 1)
    #expect(try client.ask("@t REQ 1 max") == "@t ERR usage \(max)")
    #expect(try client.ask("DELETE a durable=x").hasPrefix("ERR exists another client has "))
  }

  @Test("what it has read does not count as published when its subject is deleted")
  func isNotPublished() throws {
    let play = try start()
    let client = try play.framed()
    _ = try subscribe(play, client, 2)
    try send(play, 1...2)
    #expect(try client.lines(2) == ["= 1 1", "= 1 2"])
    let before = play.server.server.perform { $0.publishedValues }
    let other = try play.framed()
    try play.say(other, "DELETE a")
    play.advance(seconds: 1)
    #expect(try other.line() == "OK delete a")
    #expect(play.server.server.perform { $0.publishedValues } == before)
  }

  @Test("one that is given up before NATS has it is not answered OK")
  func givenUp() throws {
    let play = try start()
    let client = try play.framed()
    try play.say(client, "SUB a 0 durable=x\nCANCEL 1")
    play.advance(seconds: 1)
    #expect(
      try client.line()
        == "ERR away the durable subscription x of a was given up before NATS had it"
    )
    #expect(try client.line() == "OK cancel 1 values=0 missed=0 undelivered=0")
    // Nor is one whose subject is deleted while it waits.
    play.play { $0.lease("d.a.y") }
    try play.say(client, "SUB a 0 durable=y as=3\nDELETE a")
    play.advance(seconds: 1)
    #expect(
      try client.lines(2) == ["ERR unknown-name subject a was deleted", "OK delete a"]
    )
    #expect(try client.ask("PING") == "PONG")
    // Nor one that is just about to read.
    _ = try client.ask("SUBJECT b flow=slowest on=nats")
    play.play { $0.faults["CONSUMER.CREATE"] = [.late] }
    try play.say(client, "SUB b 0 durable=z as=4")
    play.advance(seconds: 1)
    try play.say(client, "DELETE b")
    play.advance(seconds: 1)
    #expect(
      try client.lines(2) == ["ERR unknown-name subject b was deleted", "OK delete b"]
    )
    #expect(try client.ask("PING") == "PONG")
  }

  @Test("names that begin alike are those of others")
  func names() throws {
    let play = try start()
    let client = try play.framed()
    _ = try subscribe(play, client, 1)
    try send(play, 1...2)
    _ = try client.line()
    play.play { $0.consume("a", "d-x--other-7", upTo: 0) }
    try play.say(client, "CANCEL 1\nREQ 1 1")
    play.advance(seconds: 1)
    _ = try client.line()
    try play.say(client, "SUB a 9 durable=x as=2")
    play.advance(seconds: 1)
    #expect(try client.lines(3) == ["OK sub 2 a demand=9", "= 2 1", "= 2 2"])
    let left = play.play { $0.streams["flow_a"]?.consumers.keys.sorted() ?? [] }
    #expect(left.contains("d-x--other-7"))
  }

  @Test("an id that is used again acknowledges nothing of what had it before")
  func idUsedAgain() throws {
    let play = try start()
    let client = try play.framed()
    _ = try subscribe(play, client, 5)
    try send(play, 1...2)
    try play.say(client, "DONE a")
    play.advance(seconds: 1)
    _ = try client.lines(4)
    try play.say(client, "SUB here 3 as=1\nREQ 1 5")
    play.advance(seconds: 1)
    #expect(try client.line() == "OK sub 1 here demand=3")
    try waitForFloor(0, play)
  }

  @Test("a REQ while it may not read is not forgotten")
  func requestedMeanwhile() throws {
    let play = try start()
    let client = try play.framed()
    _ = try subscribe(play, client, 5)
    try send(play, 1...4)
    _ = try client.lines(4)
    play.play { nats in
      nats.isThere = false
      nats.disconnect()
    }
    play.advance(seconds: 9)
    try play.say(client, "REQ 1 4")
    play.play { $0.isThere = true }
    play.advance(seconds: 20)
    try waitForFloor(4, play)
    try send(play, 5...5)
    #expect(try client.line() == "= 1 5")
  }

  @Test(
    "what a subject has before any value is one of those that are acknowledged",
    arguments: [1, 5]
  )
  func first(_ demand: Int) throws {
    let play = try PlayedServer(lines: "SUBJECT a current \"v\" flow=slowest on=nats")
    let client = try play.framed()
    _ = try subscribe(play, client, demand)
    #expect(try client.line() == "= 1 \"v\"")
    if demand == 1 { try play.say(client, "REQ 1 1") }
    try send(play, 1...1)
    #expect(try client.line() == "= 1 1")
    if demand > 1 { try play.say(client, "REQ 1 1") }
    try waitForFloor(0, play)
    try play.say(client, "REQ 1 1")
    try waitForFloor(1, play)
  }

  @Test("what a subject has before any value comes again until a value is acknowledged")
  func firstAgain() throws {
    let play = try PlayedServer(lines: "SUBJECT a current \"v\" flow=slowest on=nats")
    let client = try play.framed()
    for _ in 1...3 {
      #expect(try subscribe(play, client, 5) == "OK sub 1 a demand=5")
      #expect(try client.line() == "= 1 \"v\"")
      try play.say(client, "CANCEL 1")
      _ = try client.line()
      play.advance(seconds: 1)
    }
    try send(play, 1...2)
    #expect(try subscribe(play, client, 5) == "OK sub 1 a demand=5")
    #expect(try client.lines(3) == ["= 1 \"v\"", "= 1 1", "= 1 2"])
    try play.say(client, "REQ 1 2")
    try waitForFloor(1, play)
    try play.say(client, "CANCEL 1")
    _ = try client.line()
    play.advance(seconds: 1)
    #expect(try subscribe(play, client, 5) == "OK sub 1 a demand=5")
    #expect(try client.line() == "= 1 2")
    // Who began behind a value has had no other.
    play.play { $0.streams["flow_a"]?.consumers.removeAll() }
    try play.say(client, "CANCEL 1")
    _ = try client.line()
  }

  @Test(
    "a server that only reads tells how much waits; the end is no value, what was read is counted"
  )
  func figures() throws {
    let play = try start()
    let client = try leave(play)
    play.play { nats in for value in 1...3 { nats.put("\(value)", into: "a") } }
    func rows(_ command: String) throws -> [String] {
      try client.say(command)
      play.settle()
      return try client.rest { !$0.hasPrefix("* ") }
    }
    #expect(try rows("SHOW a").contains { $0.contains(" used=3 ") })
    #expect(try rows("SHOW a").last { $0.hasPrefix("* reader") }?.hasSuffix(" behind=3") == true)
    #expect(try subscribe(play, client, 2, id: 2) == "OK sub 2 a demand=2")
    #expect(try client.lines(2) == ["= 2 1", "= 2 2"])
    #expect(try rows("STATS a").contains(#"* flow_subject_subscriptions{subject="a",room="no"} 1"#))
    #expect(try rows("STATS a").contains(#"* flow_subject_publications{subject="a"} 0"#))
    try play.say(client, "REQ 2 8")
    #expect(try client.line() == "= 2 3")
    try play.say(client, "REQ 2 8")
    play.settle()
    try play.say(client, "CANCEL 2")
    _ = try client.line()
    play.advance(seconds: 1)
    #expect(
      try rows("STATS a")
        .contains(#"* flow_subject_values_total{subject="a",outcome="delivered"} 3"#)
    )
    #expect(try rows("DONE a") == ["OK done a"])
    #expect(try rows("SHOW a").last { $0.hasPrefix("* reader") }?.hasSuffix(" behind=0") == true)
  }

  @Test("it goes as the server stops, while its client is still there")
  func stops() throws {
    let play = try start()
    let client = try play.framed()
    _ = try subscribe(play, client, 2)
    try send(play, 1...2)
    _ = try client.lines(2)
    play.server.server.perform { $0.stores.stop {} }
    play.advance(seconds: 1)
    #expect(play.play { $0.streams["flow_LEASES"]?.messages.count } == 0)
    try play.close(client)
    play.advance(seconds: 1)
    #expect(try play.framed().ask("PING") == "PONG")
  }

  @Test("a subject that is deleted ends it on this server")
  func deleted() throws {
    let play = try start()
    let client = try play.framed()
    _ = try subscribe(play, client, 1)
    try send(play, 1...1)
    _ = try client.line()
    try play.say(client, "DELETE a")
    play.advance(seconds: 1)
    #expect(
      Set(try client.lines(2)) == ["OK delete a", "FAIL 1 deleted subject a was deleted"]
    )
    try play.say(client, "@t REQ 1 1")
    #expect(try client.line() == "@t OK req 1 ended")
    #expect(play.play { $0.streams["flow_LEASES"]?.messages.count } == 0)
  }
}
