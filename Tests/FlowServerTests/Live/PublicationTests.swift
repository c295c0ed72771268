import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("PUB and lossless subjects")
struct PublicationTests {
  @Test("a plain subject grants everything")
  func free() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    #expect(try client.ask("PUB taps") == "OK pub 1 taps demand=max")
    #expect(try client.ask("= 1 x") == "OK value 1 to=0 missed=0 demand=max")
    #expect(try client.ask("DONE 1") == "OK done 1 to=0 missed=0 nobody=1")
    #expect(try client.ask("= 1 y") == "OK value 1 ended")
  }

  @Test("DONE reports values received, missed, and without a subscriber", arguments: [false, true])
  func figures(_ isKept: Bool) throws {
    let server = try TestServer()
    try server.prepare("SUBJECT taps\(isKept ? " replay 2" : "")")
    let publisher = try server.framed()
    let reader = try server.framed()
    _ = try publisher.ask("PUB taps as=1")
    try publisher.say((1...50).map { "= 1 \($0)" }.joined(separator: "\n"))
    _ = try publisher.ask("PING")
    _ = try reader.ask("SUB taps 3 as=1")
    _ = try reader.ask("SUB taps as=2")
    _ = try reader.linesSoFar()
    try publisher.say("= 1 a", "= 1 b", "= 1 c", "= 1 d", "@d DONE 1")
    let answer = try publisher.line()
    // A subject that keeps values, two for the first reader, never counts one as lost on `nobody`.
    #expect(
      answer
        == (isKept ? "@d OK done 1 to=1 missed=7 nobody=0" : "@d OK done 1 to=3 missed=5 nobody=50")
    )
  }

  @Test("the answer to DONE follows what it ends on the same connection")
  func order() throws {
    let server = try TestServer()
    let client = try server.framed()
    for line in ["SUBJECT a", "SUB a 5", "PUB a owner=yes"] { _ = try client.ask(line) }
    try client.say("= 2 x", "@t DONE 2")
    #expect(
      try client.lines(3) == ["= 1 x", "DONE 1", "@t OK done 2 to=1 missed=0 nobody=0"]
    )
  }

  @Test("a lossless subject grants what all subscribers have room for")
  func grants() throws {
    let server = try TestServer()
    let subscriber = try server.connect()
    let publisher = try server.connect()
    _ = try subscriber.ask("SUBJECT orders flow=slowest")
    #expect(try publisher.ask("PUB orders as=9") == "OK pub 9 orders demand=0")
    _ = try subscriber.ask("SUB orders 2")
    #expect(try publisher.line() == "REQ 9 2")
    _ = try subscriber.ask("REQ 1 3")
    #expect(try publisher.line() == "REQ 9 3")
    _ = try subscriber.ask("SUB orders max")
    #expect(try publisher.ask("= 9 a") == "OK value 9 to=2 missed=0 demand=4")
    #expect(try subscriber.lines(2).sorted() == ["= 1 a", "= 2 a"])
  }

  @Test("what is sent beyond the grant is held, cancels or is dropped")
  func beyondGrant() throws {
    let server = try TestServer()
    let subscriber = try server.connect()
    let publisher = try server.connect()
    _ = try subscriber.ask("SUBJECT orders flow=slowest")
    _ = try publisher.ask("PUB orders as=1")
    _ = try publisher.ask("PUB orders as=2 over=cancel")
    _ = try publisher.ask("PUB orders as=3 over=drop")
    #expect(try publisher.ask("= 1 a") == "OK value 1 held=1 demand=0")
    try publisher.say("= 2 b")
    #expect(try publisher.lines(2) == ["CANCEL 2 overrun", "OK value 2 ended"])
    #expect(try publisher.ask("= 3 c") == "OK value 3 dropped=1 demand=0")
    #expect(try publisher.line() == "DROP 3 1 no-demand")
    try subscriber.say("HELLO 1", "SUB orders 1")
    #expect(try subscriber.lines(3) == ["OK hello 1", "OK sub 1 orders demand=1", "= 1 a"])
  }

  @Test("a full inbox stops the reading of that connection until there is room")
  func parks() throws {
    let server = try TestServer()
    let subscriber = try server.connect()
    let publisher = try server.connect()
    _ = try subscriber.ask("HELLO 1")
    _ = try subscriber.ask("SUBJECT orders flow=slowest")
    _ = try publisher.ask("PUB orders grant=4")
    _ = try publisher.ask("HELLO 1")
    for value in 1...4 { try publisher.say("= 1 \(value)") }
    try publisher.say("= 1 5", "= 1 6", "@end DONE 1", "PING still-here")
    _ = try subscriber.ask("PING")
    #expect(try subscriber.ask("SUB orders max as=9").hasPrefix("OK sub 9"))
    #expect(
      try subscriber.lines(6)
        == ["= 9 1", "= 9 2", "= 9 3", "= 9 4", "= 9 5", "= 9 6"]
    )
    #expect(
      try publisher.rest(until: "PONG still-here").contains { $0.hasPrefix("@end OK done 1 to=") }
    )
  }

  @Test("SEND waits for room, its answer holds back the others, and it gives up in time")
  func sendWaits() throws {
    let server = try TestServer()
    let subscriber = try server.connect()
    let publisher = try server.connect()
    _ = try subscriber.ask("HELLO 1")
    _ = try subscriber.ask("SUBJECT orders flow=slowest")
    try publisher.say("SEND orders a", "PING behind")
    _ = try subscriber.ask("PING")
    try subscriber.say("SUB orders 1")
    #expect(try subscriber.lines(2) == ["OK sub 1 orders demand=1", "= 1 a"])
    #expect(try publisher.lines(2) == ["OK send orders to=1 missed=0", "PONG behind"])
    try publisher.say("SEND orders b")
    _ = try subscriber.ask("PING")
    server.advance(seconds: 5)
    #expect(try publisher.line().hasPrefix("ERR no-demand "))
    try subscriber.ask("REQ 1 1", answer: "PING")
    #expect(try publisher.ask("SEND orders c") == "OK send orders to=1 missed=0")
    #expect(try subscriber.line() == "= 1 c")
  }

  @Test("a slowConsumer that holds up another fails after the stall; a lone one never does")
  func slowConsumer() throws {
    let server = try TestServer()
    let lone = try server.connect()
    let other = try server.connect()
    let publisher = try server.connect()
    _ = try lone.ask("SUBJECT orders flow=slowest stall=10s")
    _ = try lone.ask("HELLO 1")
    _ = try lone.ask("SUB orders")
    _ = try publisher.ask("PUB orders")
    _ = try publisher.ask("= 1 a")
    server.advance(seconds: 60)
    #expect(try lone.linesSoFar() == [])
    _ = try other.ask("HELLO 1")
    _ = try other.ask("SUB orders max")
    server.advance(seconds: 60)
    #expect(try lone.line().hasPrefix("FAIL 1 too-slow "))
    #expect(try other.line() == "= 1 a")
  }

  @Test(
    "a slowConsumer that does not read holds up a publisher that keeps to its grants, too",
    arguments: ["orders", "orders.map { $0 }"]
  )
  func unreadSlowConsumer(_ expression: String) throws {
    let server = try TestServer()
    let (slow, quick, publisher) = (
      try server.connect(), try server.connect(), try server.connect()
    )
    for client in [slow, quick, publisher] { _ = try client.ask("HELLO 1") }
    _ = try slow.ask("SUBJECT orders flow=slowest stall=10s")
    _ = try slow.ask("SUB \(expression) max")
    _ = try quick.ask("SUB orders max")
    let value = String(repeating: "v", count: 60_000)
    let opened = try publisher.ask("PUB orders as=1")
    var grant = try #require(Int(opened.drop { $0 != "=" }.dropFirst()))
    var sent = 0
    try Patience.wait(for: "the end of the grants") {
      try publisher.say("= 1 \(value)")
      sent += 1
      grant -= 1
      // What is granted since the quick one has read comes behind what it reads.
      #expect(try quick.line() == "= 1 \(value)")
      _ = try quick.ask("PING")
      for line in try publisher.linesSoFar() where line.hasPrefix("REQ 1 ") {
        grant += Int(line.dropFirst(6)) ?? 0
      }
      return grant == 0
    }
    server.advance(seconds: 9)
    try publisher.say("SHOW orders")
    let rows = try publisher.rest(until: "OK show orders")
    #expect(rows.contains { $0.contains(" client=1 ") && $0.hasSuffix(" holds-up=9000ms") })
    #expect(try publisher.linesSoFar() == [])
    server.advance(seconds: 2)
    // Now that the slowConsumer is gone the publisher may go on, and the slowConsumer learns why.
    #expect(try publisher.line().hasPrefix("REQ 1 "))
    try publisher.say("= 1 last")
    #expect(try quick.line() == "= 1 last")
    #expect(try slow.lines(sent) == Array(repeating: "= 1 \(value)", count: sent))
    #expect(try slow.line().hasPrefix("FAIL 1 too-slow "))
  }

  @Test("a subscription without demand does not hold up a publisher that sends nothing")
  func idleSlowConsumer() throws {
    let server = try TestServer()
    let (manual, quick, publisher) = (
      try server.connect(), try server.connect(), try server.connect()
    )
    _ = try manual.ask("HELLO 1")
    _ = try manual.ask("SUBJECT orders flow=slowest stall=10s")
    _ = try manual.ask("SUB orders 0")
    _ = try quick.ask("SUB orders max")
    #expect(try publisher.ask("PUB orders") == "OK pub 1 orders demand=0")
    server.advance(seconds: 60)
    #expect(try manual.ask("PING") == "PONG")
  }

  @Test("an owned subject ends with its publication, and fails when the publisher is lost")
  func owner() throws {
    let server = try TestServer()
    let subscriber = try server.connect()
    _ = try subscriber.ask("HELLO 1")
    _ = try subscriber.ask("SUBJECT a")
    _ = try subscriber.ask("SUBJECT b")
    _ = try subscriber.ask("SUB a max")
    _ = try subscriber.ask("SUB b max")
    let publisher = try server.connect()
    _ = try publisher.ask("PUB a owner=yes")
    _ = try publisher.ask("PUB b owner=yes")
    _ = try publisher.ask("DONE 1")
    #expect(try subscriber.line() == "DONE 1")
    publisher.reset()
    #expect(try subscriber.line().hasPrefix("FAIL 2 publisher-lost "))
  }

  @Test("deleting a subject ends its streams and publications")
  func delete() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("SUB taps max")
    _ = try client.ask("PUB taps")
    try client.say("DELETE taps")
    let lines = try client.lines(3)
    #expect(lines[0] == "OK delete taps")
    #expect(lines[1].hasPrefix("FAIL 1 deleted "))
    #expect(lines[2] == "CANCEL 2 deleted")
    #expect(try client.ask("LIST streams") == "OK list 0")
    #expect(try client.ask("SUB taps").hasPrefix("ERR unknown-name "))
  }

  @Test("after its DONE an id is free and takes no value, though held ones are still to go out")
  func endedWhileHolding() throws {
    let server = try TestServer()
    let reader = try server.connect()
    let publisher = try server.connect()
    _ = try reader.ask("HELLO 1")
    _ = try reader.ask("SUBJECT orders flow=slowest")
    _ = try publisher.ask("PUB orders as=1 owner=yes")
    _ = try publisher.ask("= 1 a")
    #expect(try publisher.ask("DONE 1") == "OK done 1 to=0 missed=0 nobody=0")
    #expect(try publisher.ask("= 1 b") == "OK value 1 ended")
    #expect(try publisher.ask("DONE 1") == "OK done 1 ended")
    #expect(try publisher.ask("PUB orders as=1") == "OK pub 1 orders demand=0")
    #expect(try publisher.ask("= 1 c") == "OK value 1 held=1 demand=0")
    try reader.say("LIST streams")
    #expect(
      try reader.rest(until: "OK list 2").prefix(2) == [
        "* publication client=2 id=1 name=orders demand=0 values=1 held=1",
        "* publication client=2 id=1 name=orders demand=0 values=1 held=1 ended",
      ]
    )
    try reader.say("SUB orders 9")
    #expect(try reader.lines(4).suffix(2).contains("DONE 1"))
    #expect(try publisher.line() == "CANCEL 1 completed")
    #expect(try publisher.linesSoFar() == [])
  }

  @Test(
    "what publications hold goes out before the end of their subject",
    arguments: [("DONE a", "DONE 1"), ("FAIL a too-hot it burns", "FAIL 1 too-hot it burns")]
  )
  func endBehindHeld(_ command: String, _ end: String) throws {
    let server = try TestServer()
    let publisher = try server.connect()
    let sender = try server.connect()
    let other = try server.connect()
    _ = try other.ask("SUBJECT a flow=slowest")
    _ = try publisher.ask("PUB a")
    for (count, value) in ["x", "y", "z"].enumerated() {
      #expect(try publisher.ask("= 1 \(value)") == "OK value 1 held=\(count + 1) demand=0")
    }
    try sender.say("SEND a w")
    #expect(try other.ask(command).hasPrefix("OK "))
    #expect(try publisher.line() == "CANCEL 1 completed")
    #expect(try sender.line().hasPrefix("ERR completed "))
    for again in ["SEND a v", "PUB a", "DONE a"] {
      #expect(try other.ask(again).hasPrefix("ERR completed "), "\(again)")
    }
    #expect(try other.ask("SUBJECT a flow=slowest").hasPrefix("ERR exists subject a has completed"))
    let subscriber = try server.framed()
    #expect(try subscriber.ask("SUB a 1") == "OK sub 1 a demand=1")
    #expect(try subscriber.line() == "= 1 x")
    try subscriber.say("REQ 1 1")
    #expect(try subscriber.line() == "= 1 y")
    try subscriber.say("REQ 1 1")
    #expect(try subscriber.lines(2) == ["= 1 z", end])
    #expect(try publisher.ask("= 1 u") == "OK value 1 ended")
    #expect(try other.ask("DELETE a") == "OK delete a")
  }

  @Test("a subscription holds others up since a value waits, not since it had its last")
  func stallBegins() throws {
    let server = try TestServer()
    let slow = try server.connect()
    let quick = try server.connect()
    let publisher = try server.connect()
    for client in [slow, quick] { _ = try client.ask("HELLO 1") }
    #expect(
      try slow.ask("SUBJECT orders flow=slowest stall=10s")
        == "OK subject orders passthrough flow=slowest stall=10s"
    )
    _ = try slow.ask("SUB orders")
    _ = try publisher.ask("PUB orders")
    server.advance(seconds: 60)
    _ = try publisher.ask("= 1 a")
    server.advance(seconds: 15)
    // So far nobody has had room.
    _ = try quick.ask("SUB orders 5")
    server.advance(seconds: 9)
    try quick.say("SHOW orders")
    #expect(
      try quick.rest(until: "OK show orders").contains(
        "* subscription client=1 id=1 demand=0 holds-up=24000ms"
      )
    )
    try quick.say("LIST streams")
    #expect(
      try quick.rest { $0.hasPrefix("OK list") }.first
        == "* stream client=1 id=1 name=orders demand=0 values=0 missed=0 stalled=24000ms"
    )
    #expect(try slow.linesSoFar() == [])
    server.advance(seconds: 2)
    #expect(try slow.line().hasPrefix("FAIL 1 too-slow "))
    #expect(try quick.line() == "= 1 a")
  }

  @Test(
    "errors with values in order between them are not in a row",
    arguments: ["typed", "framed"]
  )
  func errorsBetweenValues(_ mode: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    if mode == "framed" { _ = try client.ask("HELLO 1") }
    _ = try client.ask("SUBJECT orders")
    _ = try client.ask("PUB orders as=1")
    for _ in 1...60 { try client.say("= 9 x", "= 1 x", "= 9 y") }
    #expect(try client.linesSoFar().count == (mode == "typed" ? 180 : 120))
    for _ in 1...100 { try client.say("= 9 x") }
    #expect(try client.rest().last == "BYE errors 100 errors in a row")
  }

  @Test("values to a stream that has ended, or never was, go to no other")
  func strayValues() throws {
    let server = try TestServer()
    let reader = try server.connect()
    let publisher = try server.connect()
    for line in ["HELLO 1", "SUBJECT one", "SUBJECT two", "SUB one max as=1", "SUB two max as=2"] {
      _ = try reader.ask(line)
    }
    for line in ["HELLO 1", "PUB one as=1", "PUB two as=2"] { _ = try publisher.ask(line) }
    try publisher.say(
      "= 1 a",
      "= 1 b",
      "DONE 1",
      "= 2 c",
      "= 1 late",
      "= 1 late",
      "= 1 late",
      "= 9 none",
      "= 9 none",
      "= 9 none",
      "= 2 d"
    )
    #expect(try publisher.linesSoFar().count == 3)
    #expect(try reader.linesSoFar() == ["= 1 a", "= 1 b", "= 2 c", "= 2 d"])
  }
}
