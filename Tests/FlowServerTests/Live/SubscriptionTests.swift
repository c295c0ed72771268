import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("SUB, REQ and CANCEL")
struct SubscriptionTests {
  @Test("the session of the front page")
  func session() throws {
    let server = try TestServer()
    let subscriber = try server.connect()
    let publisher = try server.connect()
    #expect(try subscriber.ask("SUBJECT orders").hasPrefix("OK subject orders"))
    let definition = "PIPELINE even = orders.filter { $0 % 2 == 0 }.map { $0 * 10 }"
    #expect(try subscriber.ask(definition).hasPrefix("OK pipeline even"))
    #expect(try subscriber.ask("SUB even") == "OK sub 1 even demand=0")
    #expect(try subscriber.line() == "# REQ 1 10 asks for ten values; CANCEL 1 ends it")
    #expect(try subscriber.ask("REQ 1 2") == "OK req 1 demand=2")
    for number in 1...10 {
      let answer = try publisher.ask("SEND orders \(number)")
      #expect(
        answer == (number <= 4 ? "OK send orders to=1 missed=0" : "OK send orders to=0 missed=1")
      )
    }
    #expect(try subscriber.linesSoFar() == ["= 1 20", "= 1 40"])
    #expect(try subscriber.ask("CANCEL 1") == "OK cancel 1 values=2 missed=6 undelivered=0")
  }

  @Test("a plain subject gives what was asked for, and reports what was missed in its place")
  func misses() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("SUB taps 1")
    #expect(try client.ask("SEND taps a") == "= 1 a")
    #expect(try client.line() == "OK send taps to=1 missed=0")
    #expect(try client.ask("SEND taps b") == "OK send taps to=0 missed=1")
    #expect(try client.ask("SEND taps c") == "OK send taps to=0 missed=1")
    #expect(try client.ask("REQ 1 2") == "OK req 1 demand=2")
    try client.say("SEND taps d")
    #expect(try client.lines(3) == ["DROP 1 2 no-demand", "= 1 d", "OK send taps to=1 missed=0"])
    try client.say("DONE taps")
    #expect(try client.lines(2) == ["OK done taps", "DONE 1"])
    #expect(try client.ask("SEND taps e").hasPrefix("ERR completed "))
  }

  @Test("CANCEL reports the reasons, unless all values lacked demand")
  func reasons() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    let buffer = "taps.buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)"
    _ = try client.ask("SUB \(buffer)")
    _ = try client.ask("SUB taps")
    _ = try client.linesSoFar()
    for value in 1...3 { _ = try client.ask("SEND taps \(value)") }
    let answer = try client.ask("CANCEL 1")
    #expect(answer == "OK cancel 1 values=0 missed=2 undelivered=0 why=buffer-oldest:2")
    #expect(try client.ask("CANCEL 2") == "OK cancel 2 values=0 missed=3 undelivered=0")
  }

  @Test("a demand of 0 or less fails that stream only")
  func badDemand() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("SUB taps 1")
    _ = try client.ask("SUB taps 1")
    #expect(try client.ask("REQ 1 0").hasPrefix("FAIL 1 bad-demand "))
    #expect(try client.ask("REQ 2 x").hasPrefix("ERR usage "))
    #expect(try client.ask("REQ 2 -1").hasPrefix("FAIL 2 bad-demand "))
    #expect(try client.ask("REQ 2 1") == "OK req 2 ended")
  }

  @Test("demand saturates and stays unlimited")
  func saturation() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("SUB taps 9223372036854775800")
    #expect(try client.ask("REQ 1 9") == "OK req 1 demand=max")
    #expect(try client.ask("REQ 1 1") == "OK req 1 demand=max")
  }

  @Test("TAKE gives so many values, then DONE")
  func take() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    #expect(try client.ask("TAKE taps 2") == "OK take 1 taps demand=2")
    try client.say("SEND taps a", "SEND taps b", "SEND taps c")
    #expect(
      try client.lines(6) == [
        "= 1 a", "OK send taps to=1 missed=0", "= 1 b", "DONE 1", "OK send taps to=1 missed=0",
        "OK send taps to=0 missed=0",
      ]
    )
  }

  @Test("TAKE within a time fails when it has passed")
  func takeWithin() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("TAKE taps 2 within=5s")
    server.advance(seconds: 4.9)
    #expect(try client.linesSoFar() == [])
    server.advance(seconds: 0.2)
    #expect(try client.line().hasPrefix("FAIL 1 timeout "))
  }

  @Test("TAKE ends sooner with its upstream, and no timeout comes after its end")
  func takeEnds() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps replay 5")
    _ = try client.ask("SEND taps a")
    _ = try client.ask("DONE taps")
    try client.say("TAKE taps 3 as=7 within=5s", "TAKE [1, 2].publisher 2 within=5s as=3")
    #expect(
      try client.lines(6) == [
        "OK take 7 taps demand=3", "= 7 a", "DONE 7", "OK take 3 - demand=2", "= 3 1", "= 3 2",
      ]
    )
    #expect(try client.line() == "DONE 3")
    server.advance(seconds: 6)
    #expect(try client.linesSoFar() == [])
    try client.say("TAKE Just(1).delay(for: 60) 1 as=7 within=250ms")
    #expect(try client.line() == "OK take 7 - demand=1")
    server.advance(seconds: 0.3)
    #expect(try client.line() == "FAIL 7 timeout not all values arrived in time")
    #expect(try client.ask("CANCEL 7") == "OK cancel 7 ended")
  }

  @Test("TAKE may get more demand than it takes, and gives no more values for it")
  func takeMore() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("TAKE taps 1")
    #expect(try client.ask("REQ 1 5") == "OK req 1 demand=6")
    try client.say("SEND taps a", "SEND taps b")
    #expect(
      try client.lines(4) == [
        "= 1 a", "DONE 1", "OK send taps to=1 missed=0", "OK send taps to=0 missed=0",
      ]
    )
  }

  @Test(
    "TAKE says what is wrong with its fields",
    arguments: [
      ("TAKE taps 0", "ERR usage count is \"0\", expected a number from 1; "),
      ("TAKE taps max", "ERR usage count is \"max\", expected a number from 1; "),
      ("TAKE taps -1", "ERR usage count is \"-1\", expected a number from 1; "),
      ("TAKE taps", "ERR usage count is missing; "), ("TAKE", "ERR usage the name or pipeline is "),
      ("TAKE taps 1 within=0s", "ERR usage within is \"0s\", expected a time such as "),
      ("TAKE taps 1 within=soon", "ERR usage within is \"soon\", expected a time such as "),
      ("TAKE taps 1 as=0", "ERR usage as is \"0\", expected a number from 1 to "),
      ("TAKE taps 1 as=9007199254740993", "ERR usage as is "),
      ("TAKE taps 1 window=5", "ERR usage unknown option \"window\"; "),
      ("TAKE taps 1 as=4", "ERR id-in-use stream 4 is already open; "),
    ]
  )
  func takeRefused(_ line: String, _ start: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("SUB taps 1 as=4")
    let answer = try client.ask(line)
    #expect(answer.hasPrefix(start), "\(answer)")
    #expect(try client.linesSoFar() == [])
  }

  @Test("a current subject gives the newest at the time of the request")
  func current() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT price current 1")
    _ = try client.ask("SUB price 1")
    #expect(try client.line() == "= 1 1")
    for value in 2...4 { _ = try client.ask("SEND price \(value)") }
    try client.say("REQ 1 2", "DONE price")
    #expect(
      try client.lines(5) == [
        "OK req 1 demand=2", "DROP 1 2 replaced", "= 1 4", "OK done price", "DONE 1",
      ]
    )
    // As with Combine's CurrentValueSubject, what has ended has no current value.
    try client.say("SUB price 5", "SUB price.map { $0 } 5")
    #expect(
      try client.lines(4) == [
        "OK sub 2 price demand=5", "DONE 2", "OK sub 3 - demand=5", "DONE 3",
      ]
    )
  }

  @Test("who has not read the last value of a current subject still gets it before the end")
  func currentUnread() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT price current 1")
    let client = try server.framed()
    _ = try client.ask("SUB price")
    for command in ["SEND price 2", "FAIL price closed"] { _ = try client.ask(command) }
    #expect(try client.ask("SUB price as=7") == "OK sub 7 price demand=0")
    #expect(try client.line().hasPrefix("FAIL 7 closed"))
    try client.say("REQ 1 5")
    #expect(try client.lines(2) == ["DROP 1 1 replaced", "= 1 2"])
    #expect(try client.line().hasPrefix("FAIL 1 closed"))
  }

  @Test("a replay subject gives the last values at the subscriber's own demand")
  func replay() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT log replay 3")
    for value in 1...5 { _ = try client.ask("SEND log \(value)") }
    try client.say("SUB log 1")
    #expect(try client.lines(2) == ["OK sub 1 log demand=1", "= 1 3"])
    _ = try client.ask("SEND log 6")
    _ = try client.ask("SEND log 7")
    try client.say("REQ 1 max")
    #expect(
      try client.lines(5) == [
        "OK req 1 demand=max", "DROP 1 1 replaced", "= 1 5", "= 1 6", "= 1 7",
      ]
    )
  }

  @Test("who ends with the value that he gets from a subject that keeps it has missed nothing")
  func lastOfKept() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a replay 3")
    let (reader, other) = (try server.framed(), try server.framed())
    _ = try reader.ask("TAKE a 1 as=1")
    _ = try reader.ask("SUB a 0 as=2")
    #expect(try other.ask("SEND a 5") == "OK send a to=1 missed=1")
    #expect(try reader.lines(2) == ["= 1 5", "DONE 1"])
  }

  @Test("a value of several lines goes out counted")
  func countedValue() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT notes")
    _ = try client.ask("SUB notes max")
    _ = try client.ask("PUB notes as=7")
    try client.send(Array(": 7 3\na\nb\n".utf8))
    #expect(try client.lines(4) == [": 1 3", "a", "b", "OK value 7 to=1 missed=0 demand=max"])
  }

  @Test("the five values that a full buffer did not take come as one DROP")
  func scenario23() throws {
    let server = try TestServer()
    let subscriber = try server.connect()
    let publisher = try server.connect()
    _ = try subscriber.ask("SUBJECT taps")
    _ = try subscriber.ask(
      "PIPELINE slow = taps.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest)"
        + ".flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 2) }"
    )
    _ = try subscriber.ask("HELLO 1")
    #expect(try subscriber.ask("SUB slow 3") == "OK sub 1 slow demand=3")
    for value in 1...10 { _ = try publisher.ask("SEND taps \(value)") }
    server.advance(seconds: 2)
    #expect(try subscriber.linesSoFar() == ["DROP 1 5 no-demand", "= 1 1"])
    server.advance(seconds: 1)
    _ = try publisher.ask("SEND taps 11")
    server.advance(seconds: 1)
    #expect(try subscriber.linesSoFar() == ["= 1 2"])
    server.advance(seconds: 2)
    #expect(try subscriber.linesSoFar() == ["= 1 3"])
    server.advance(seconds: 20)
    #expect(try subscriber.linesSoFar() == [])
    for value in ["4", "5", "11"] {
      try subscriber.say("REQ 1 1")
      server.advance(seconds: 5)
      #expect(try subscriber.linesSoFar() == ["= 1 \(value)"])
    }
  }

  @Test("a window holds for values that are larger than those before", arguments: [false, true])
  func growingValues(inBatches: Bool) throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a")
    let idle = try server.framed()
    let publisher = try server.framed()
    try idle.say("SUB a max", "SUB a 100000")
    _ = try idle.lines(2)
    _ = try publisher.ask("PUB a as=1")
    try publisher.say("= 1 x")
    #expect(try idle.lines(2).sorted() == ["= 1 x", "= 2 x"])
    let value = "= 1 " + String(repeating: "y", count: 10_000)
    for _ in 0..<100 {
      if inBatches {
        try publisher.say(Array(repeating: value, count: 20).joined(separator: "\n"))
      } else {
        for _ in 0..<20 { try publisher.say(value, "PING") }
        _ = try publisher.lines(20)
      }
    }
    _ = try publisher.ask("PING")
    try publisher.say("LIST clients")
    let unsent = try publisher.rest { !$0.hasPrefix("* ") }
      .flatMap { $0.split(separator: " ").filter { $0.hasPrefix("unsent=") } }
      .compactMap { Int($0.dropFirst(7)) }.max()
    // Twenty million bytes were sent to each; the kernel keeps a few of them.
    #expect(try #require(unsent) < 1_000_000)
  }

  @Test("what a client has not read is told with its stream, its subject and itself")
  func unread() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a", "PIPELINE p = a.map { $0 }")
    let idle = try server.framed()
    let other = try server.framed()
    for line in ["SUB a max", "SUB p max", "SUB a.map { $0 } max"] { _ = try idle.ask(line) }
    let value = String(repeating: "x", count: 300_000)
    for _ in 0..<20 { _ = try other.ask("SEND a \(value)") }
    server.advance(seconds: 3)
    func rows(_ command: String, _ kind: String, _ count: Int) throws -> [String] {
      try other.say(command)
      let rows = try other.rest { !$0.hasPrefix("* ") }.filter { $0.hasPrefix("* \(kind) ") }
      #expect(rows.count == count, "\(rows)")
      return rows
    }
    for row in try rows("LIST streams", "stream", 3) + rows("SHOW p", "stream", 1) {
      #expect(row.contains(#/ undelivered=[1-9][0-9]* stalled=3000ms/#), "\(row)")
    }
    for row in try rows("SHOW a", "subscription", 3) {
      #expect(row.contains(#/ undelivered=[1-9][0-9]*/#), "\(row)")
    }
    let clients = try rows("LIST clients", "client", 2)
    #expect(clients[0].contains(#/ unsent=[0-9]+ held=[1-9][0-9]{6}/#), "\(clients)")
  }

  @Test("what a kept value's subscription has not read is stalled, delivered or missed in the end")
  func keptFigures() throws {
    let server = try TestServer()
    let client = try server.connect()
    let other = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT log replay 2")
    _ = try client.ask("SUB log")
    server.advance(seconds: 60)
    _ = try other.ask("SEND log 1")
    server.advance(seconds: 1)
    for value in 2...5 { #expect(try other.ask("SEND log \(value)").hasSuffix("to=0 missed=1")) }
    func row(_ kind: String) throws -> String? {
      try client.say("LIST \(kind)")
      return try client.rest { $0.hasPrefix("OK list") }.first
    }
    #expect(
      try row("streams")
        == "* stream client=1 id=1 name=log demand=0 values=0 missed=3 stalled=1000ms"
    )
    try client.say("REQ 1 1")
    #expect(try client.lines(2) == ["DROP 1 3 replaced", "= 1 4"])
    #expect(try row("subjects")?.hasSuffix("published=5 delivered=1 missed=3 waiting=0") == true)
    for value in 6...8 { _ = try other.ask("SEND log \(value)") }
    let fence = "OK cancel 1 values=1 missed=2 undelivered=0 why=replaced:2"
    #expect(try client.ask("CANCEL 1") == fence)
    _ = try client.ask("SUB log 1")
    #expect(try client.line() == "= 2 7")
    _ = try other.ask("SEND log 9")
    _ = try other.ask("SEND log 10")
    _ = try other.ask("DELETE log")
    #expect(
      try client.lines(3) == [
        "DROP 2 2 no-demand", "DROP 2 1 replaced", "FAIL 2 deleted subject log was deleted",
      ]
    )
  }

  @Test("a miss stalls a stream since it happened")
  func stalledSinceMiss() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask("SUB taps")
    server.advance(seconds: 60)
    _ = try client.ask("SEND taps 1")
    server.advance(seconds: 2)
    _ = try client.ask("SEND taps 2")
    #expect(
      try client.ask("LIST streams")
        == "* stream client=1 id=1 name=taps demand=0 values=0 missed=2 stalled=2000ms"
    )
  }
}
