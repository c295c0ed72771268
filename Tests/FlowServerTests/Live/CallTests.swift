import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("Calls: ask and SERVE")
struct CallTests {
  @Test("the argument goes to the worker, demand behind it, and values and the end come back")
  func roundTrip() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE resize 2 as=5")
    let client = try server.framed()
    #expect(try client.ask("SUB [7].publisher.flatMap { ask(resize, $0) } 3").hasPrefix("OK sub 1"))
    #expect(try worker.lines(2) == ["= 5.1 7", "REQ 5.1 1"])
    try worker.say("= 5.1 \"a\"")
    #expect(try client.line() == "= 1 \"a\"")
    #expect(try worker.line() == "REQ 5.1 1")
    try worker.say("= 5.1 \"b\"")
    #expect(try worker.line() == "REQ 5.1 1")
    #expect(try client.line() == "= 1 \"b\"")
    try worker.say("DONE 5.1")
    #expect(try client.line() == "DONE 1")
    #expect(try worker.linesSoFar() == [])
  }

  @Test("a person is told what became of each line")
  func typed() throws {
    let server = try TestServer()
    let worker = try server.connect()
    #expect(try worker.ask("SERVE resize") == "OK serve 1 resize demand=0")
    #expect(
      try worker.linesSoFar() == [
        "# a call arrives as = 1.1 VALUE; answer with = 1.1 TEXT, then DONE 1.1",
        "# REQ 1 1 accepts a call; CANCEL 1 stops serving",
      ]
    )
    let client = try server.framed("SUB ask(resize, [1]) 1", "SUB ask(resize, 2) 1")
    #expect(try worker.linesSoFar() == [])
    #expect(try worker.ask("REQ resize 2") == "OK req 1 demand=2")
    #expect(try worker.lines(4) == ["= 1.1 [1]", "REQ 1.1 1", "= 1.2 2", "REQ 1.2 1"])
    #expect(try worker.ask("= 1.1 a") == "OK value 1.1 demand=0")
    #expect(try worker.ask("= 1.1 b") == "OK value 1.1 held=1 demand=0")
    #expect(try worker.ask("DONE 1.1") == "OK done 1.1")
    #expect(try worker.ask("DONE 1.1") == "OK done 1.1 ended")
    #expect(try worker.ask("FAIL 1.2 busy not now") == "OK fail 1.2")
    #expect(try client.lines(2) == ["= 1 a", "FAIL 2 busy not now"])
    #expect(try worker.ask("= 1.2 x") == "OK value 1.2 ended")
    #expect(try worker.ask("@t DONE 1.2") == "@t OK done 1.2 ended")
    #expect(try worker.ask("FAIL 1.2 x") == "OK fail 1.2 ended")
    #expect(try worker.ask("REQ 1.2 1") == "OK req 1.2 ended")
    #expect(try worker.ask("CANCEL 1.2") == "OK cancel 1.2 ended")
    #expect(try worker.ask("CANCEL resize") == "OK cancel 1 values=2 missed=0 undelivered=0")
    #expect(try worker.ask("= 1.2 x") == "OK value 1.2 ended")
    #expect(try worker.ask("DONE 1.9") == "OK done 1.9 ended")
  }

  @Test("what the pipeline wants more is told once a turn, and not of a call that has ended")
  func requests() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work max as=1")
    let client = try server.framed("SUB ask(work, 0) 2")
    #expect(try worker.lines(2) == ["= 1.1 0", "REQ 1.1 2"])
    try client.say("REQ 1 3", "REQ 1 4")
    #expect(try worker.line() == "REQ 1.1 7")
    _ = try client.ask("SUB (1...2).publisher.flatMap(maxPublishers: .max(1)) { ask(work, $0) } 2")
    let asked = try worker.lines(2)
    #expect(asked == ["= 1.2 1", "REQ 1.2 1"])
    try worker.say("= 1.2 x\nDONE 1.2")
    #expect(try worker.lines(2) == ["= 1.3 2", "REQ 1.3 1"])
  }

  @Test("a call is made when it is subscribed to, and asked for values when those are wanted")
  func withoutDemand() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work 1")
    let client = try server.framed("SUB ask(work, \"a b\")")
    #expect(try worker.linesSoFar() == ["= 1.1 \"a b\""])
    try client.say("REQ 1 2")
    #expect(try worker.line() == "REQ 1.1 2")
  }

  @Test("an argument and a value may have line ends")
  func lineEnds() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work 1")
    let client = try server.framed("SUBJECT taps", "SUB taps.flatMap { ask(work, $0) } max")
    let publisher = try server.framed("PUB taps")
    try publisher.send(Array(": 1 3\na\nb\n".utf8))
    #expect(try worker.lines(4) == [": 1.1 3", "a", "b", "REQ 1.1 1"])
    try worker.send(Array(": 1.1 3\nc\nd\r\nDONE 1.1\n".utf8))
    #expect(try client.lines(3) == [": 1 3", "c", "d"])
  }

  @Test("values beyond the demand wait, and the end waits behind them")
  func held() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work 1")
    let client = try server.framed("SUB ask(work, 0) 1")
    try worker.say("= 1.1 a", "= 1.1 b", "= 1.1 c", "FAIL 1.1 broken the disk is full")
    #expect(try worker.linesSoFar() == ["= 1.1 0", "REQ 1.1 1"])
    #expect(try client.linesSoFar() == ["= 1 a"])
    try client.say("REQ 1 1")
    #expect(try client.linesSoFar() == ["= 1 b"])
    try client.say("REQ 1 1")
    #expect(try client.linesSoFar() == ["= 1 c", "FAIL 1 broken the disk is full"])
  }

  @Test("a full inbox stops the reading of that connection only, until there is room")
  func fullInbox() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work 1 as=1")
    let client = try server.framed("SUB ask(work, 0) 1")
    _ = try worker.lines(2)
    for value in 0...64 { try worker.say("= 1.1 \(value)") }
    #expect(try worker.linesSoFar() == [])
    try worker.say("= 1.1 65", "@end DONE 1.1", "PING read")
    #expect(try client.ask("PING") == "= 1 0")
    #expect(try client.line() == "PONG")
    _ = try client.ask("REQ 1 10", answer: "PING")
    #expect(
      try worker.rest(until: "PONG read").filter { $0.contains("end") } == ["@end OK done 1.1"]
    )
    try client.say("REQ 1 max")
    let rest = try client.rest(until: "DONE 1").filter { $0.hasPrefix("=") }
    #expect(rest.last == "= 1 65")
  }

  @Test("a connection that waits for room in a call is read on when the call is cancelled")
  func cancelledWhileFull() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work 1 as=1")
    let client = try server.framed("SUB ask(work, 0)")
    for value in 0...70 { try worker.say("= 1.1 \(value)") }
    try worker.say("PING read")
    _ = try client.ask("CANCEL 1")
    #expect(try worker.rest(until: "PONG read") == ["= 1.1 0", "CANCEL 1.1", "PONG read"])
  }

  @Test("a call that the pipeline no longer wants is cancelled, whatever its state")
  func cancelling() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work 2 as=1")
    let client = try server.framed()
    for id in 1...4 { _ = try client.ask("SUB ask(work, \(id)) as=\(id)") }
    #expect(try worker.linesSoFar() == ["= 1.1 1", "= 1.2 2"])
    // It waits.
    #expect(try client.ask("CANCEL 3").hasPrefix("OK cancel 3"))
    // It runs, with a value held.
    try worker.say("= 1.1 x")
    _ = try worker.linesSoFar()
    #expect(try client.ask("CANCEL 1").hasPrefix("OK cancel 1"))
    #expect(try worker.linesSoFar() == ["CANCEL 1.1"])
    // It has ended, with a value held.
    try worker.say("= 1.2 x", "DONE 1.2")
    #expect(try worker.linesSoFar() == [])
    #expect(try client.ask("CANCEL 2").hasPrefix("OK cancel 2"))
    try worker.say("= 1.1 late", "DONE 1.1", "FAIL 1.2 late", "REQ 1 5")
    #expect(try worker.linesSoFar() == ["= 1.3 4"])
    #expect(try client.linesSoFar() == [])
    #expect(
      try client.ask("LIST services")
        == "* service work workers=1 demand=4 waiting=0 running=1 answered=1"
    )
  }

  @Test("calls wait in order; one that goes leaves the others in theirs")
  func order() throws {
    let server = try TestServer()
    let client = try server.framed()
    for id in 1...6 { _ = try client.ask("SUB ask(work, \(id)) as=\(id)") }
    for id in [1, 3, 6] { _ = try client.ask("CANCEL \(id)") }
    _ = try client.ask("SUB ask(work, 7)")
    let worker = try server.framed()
    #expect(try worker.ask("SERVE work 3") == "OK serve 1 work demand=3")
    #expect(try worker.linesSoFar() == ["= 1.1 2", "= 1.2 4", "= 1.3 5"])
    try worker.say("REQ 1 max")
    #expect(try worker.linesSoFar() == ["= 1.4 7"])
  }

  @Test("more calls than may wait fail, and there is room again when one goes")
  func limit() throws {
    var configuration = Configuration()
    configuration.waitingCallLimit = 2
    let server = try TestServer(configuration)
    let client = try server.framed("SUB ask(work, 1) as=1", "SUB ask(work, 2) as=2")
    _ = try client.ask("SUB ask(work, 3).retry(3) as=3")
    #expect(
      try client.line() == "FAIL 3 limit the limit of 2 waiting calls of work is reached"
    )
    _ = try client.ask("CANCEL 1")
    _ = try client.ask("SUB ask(work, 4) as=4")
    #expect(try client.linesSoFar() == [])
    let worker = try server.framed("SERVE work max")
    #expect(try worker.linesSoFar() == ["= 1.1 2", "= 1.2 4"])
  }

  @Test(
    "what cannot be said of a call is refused, and the connection lives on",
    arguments: [
      ("= 1.2 x", "unknown-stream there is no stream 1.2; open: 1, 2"),
      ("DONE 1.2", "unknown-stream there is no stream 1.2; open: 1, 2"),
      ("FAIL 1.2 x", "unknown-stream there is no stream 1.2; open: 1, 2"),
      ("REQ 1.2 1", "unknown-stream there is no stream 1.2; open: 1, 2"),
      ("CANCEL 1.2", "unknown-stream there is no stream 1.2; open: 1, 2"),
      ("= 9.1 x", "unknown-stream there is no stream 9.1; open: 1, 2"),
      ("= 2.1 x", "usage stream 2 is not a worker; open one with SERVE"),
      ("REQ 1.1 1", "usage you send on call 1.1; end it with DONE 1.1"),
      ("CANCEL 1.1", "usage call 1.1 is yours to answer; end it with FAIL 1.1 CODE"),
      ("DONE 1", "usage stream 1 is a worker; end it with CANCEL 1"),
      ("= 1 x", "usage stream 1 is a worker; answer a call with = 1.1 TEXT"),
      ("SERVE other as=1", "id-in-use stream 1 is already open; omit as= for a free id"),
      ("SERVE $x", "denied $x belongs to the server; it can only be read"),
      ("CANCEL work", "usage streams 1, 2 are all on work; use an id"),
    ]
  )
  func refusals(_ line: String, _ error: String) throws {
    let server = try TestServer()
    let worker = try server.connect()
    _ = try worker.ask("SUBJECT work")
    _ = try worker.ask("SERVE work 1")
    _ = try worker.ask("SUB work as=2")
    _ = try worker.linesSoFar()
    let client = try server.framed("SUB ask(work, 0)")
    #expect(try worker.line() == "= 1.1 0")
    #expect(try worker.ask(line) == "ERR \(error)")
    #expect(try worker.ask("= 1.1 x") == "OK value 1.1 held=1 demand=0")
    #expect(try client.linesSoFar() == [])
  }
}
