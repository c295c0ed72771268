import FlowNATSSupport
import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("Calls of other servers, and by them")
struct SharedCallTests {
  private static let ask = "SUB [7].publisher.flatMap(maxPublishers: .max(1)) { ask(up, $0) } max"

  /// What was said since the last call, and where from.
  private func said(_ play: PlayedServer) -> [String] {
    play.play { nats in
      defer { nats.said.removeAll() }
      return nats.said.map { "\($0.peer) \($0.text)" }
    }
  }

  /// Where the server's first message about a call came from.
  private func own(_ play: PlayedServer) -> String { play.play { $0.said.first?.own ?? "" } }

  /// The address of the call that was offered first, and its id.
  private func offered(_ play: PlayedServer) throws -> (address: String, id: String) {
    let headers = play.play { $0.streams["flow_CALLS"]?.messages.first?.headers ?? "" }
    let id = try #require(headers.split(separator: "Nats-Msg-Id: ").last)
      .trimmingPrefix("Nats-Msg-Id: ").filter { !$0.isWhitespace }
    let parts = id.split(separator: ".")
    return ("flow.c.\(parts[0]).\(parts[1])", String(id))
  }

  private func say(_ play: PlayedServer, _ text: String, _ address: String, _ from: String = "") {
    play.play { $0.say(text, at: address, from: from) }
    play.settle()
  }

  @Test("a call without a worker is offered, and given to the first server that asks for it")
  func offered() throws {
    let play = try PlayedServer()
    let client = try play.framed(Self.ask)
    play.advance(seconds: 1)
    #expect(play.stored("CALLS") == ["7"])
    let (address, _) = try offered(play)
    say(play, "0 TAKE", address, "flow.c.t.1")
    say(play, "0 TAKE", address, "flow.c.t.2")
    #expect(said(play) == ["flow.c.t.1 0 REQ 1", "flow.c.t.2 0 CANCEL"])
    #expect(
      try client.ask("LIST services")
        == "* service up workers=0 demand=0 waiting=0 running=0 answered=0 elsewhere=1"
    )
    _ = try client.line()
    for number in 1...3 {
      say(play, "\(number) = \(number)", address)
      #expect(try client.line() == "= 1 \(number)")
      #expect(said(play) == ["flow.c.t.1 \(number) REQ 1"])
    }
    say(play, "4 DONE", address)
    #expect(try client.line() == "DONE 1")
    #expect(try client.ask("LIST services") == "OK list 0")
  }

  @Test(
    "what does not follow on what was heard loses the call",
    arguments: ["2 = 1", "0 = 1", "1 TAKE", "1 REQ 1", "", "x", "1 = a\n1 = b"]
  )
  func gaps(_ text: String) throws {
    let play = try PlayedServer()
    let client = try play.framed(Self.ask)
    play.advance(seconds: 1)
    let (address, _) = try offered(play)
    say(play, "0 TAKE", address, "flow.c.t.1")
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      say(play, String(line), address)
    }
    if text.hasPrefix("1 = a") { #expect(try client.line() == "= 1 a") }
    #expect(try client.line().hasPrefix("FAIL 1 worker-lost "))
    #expect(said(play).last?.hasSuffix(" CANCEL") == true)
  }

  @Test("a server that is silent for 15 s has lost the call; one that is there is waited for")
  func silence() throws {
    let play = try PlayedServer()
    let client = try play.framed(Self.ask)
    play.advance(seconds: 1)
    let (address, _) = try offered(play)
    say(play, "0 TAKE", address, "flow.c.t.1")
    for count in 1...3 {
      play.advance(seconds: 12)
      say(play, "\(count) ALIVE", address)
    }
    #expect(said(play).filter { $0.hasSuffix(" ALIVE") }.count >= 6)
    play.advance(seconds: 12)
    #expect(try client.linesSoFar() == [])
    play.advance(seconds: 5)
    #expect(try client.line().hasPrefix("FAIL 1 worker-lost "))
  }

  @Test(
    "a call that a server gives back, as no worker has seen it, is for others, or for a worker here"
  )
  func givenBack() throws {
    let play = try PlayedServer()
    let client = try play.framed(Self.ask)
    play.advance(seconds: 1)
    let (address, _) = try offered(play)
    for peer in 1...2 {
      say(play, "0 TAKE", address, "flow.c.t.\(peer)")
      #expect(said(play) == ["flow.c.t.\(peer) 0 REQ 1"])
      say(play, "1 CANCEL", address)
      #expect(play.stored("CALLS") == ["7"])
    }
    #expect(
      try client.ask("LIST services")
        == "* service up workers=0 demand=0 waiting=1 running=0 answered=0"
    )
    _ = try client.line()
    say(play, "0 TAKE", address, "flow.c.t.3")
    #expect(try client.ask("SERVE up 1") == "OK serve 2 up demand=1")
    say(play, "1 CANCEL", address)
    #expect(try client.lines(2) == ["= 2.1 7", "REQ 2.1 1"])
    play.advance(seconds: 1)
    #expect(play.stored("CALLS") == [])
  }

  @Test("a call that is cancelled, or gets a worker here, is offered no more")
  func withdrawn() throws {
    let play = try PlayedServer()
    let client = try play.framed(Self.ask)
    play.advance(seconds: 1)
    let (address, _) = try offered(play)
    #expect(try client.ask("SERVE up 1") == "OK serve 2 up demand=1")
    #expect(try client.lines(2) == ["= 2.1 7", "REQ 2.1 1"])
    play.advance(seconds: 1)
    #expect(play.stored("CALLS") == [])
    say(play, "0 TAKE", address, "flow.c.t.1")
    #expect(said(play) == ["flow.c.t.1 0 CANCEL"])
    // Where there is a worker that is busy, it is offered after a while.
    #expect(try client.ask(Self.ask) == "OK sub 3 - demand=max")
    play.settle()
    #expect(play.stored("CALLS") == [])
    play.advance(seconds: 1)
    #expect(play.stored("CALLS") == ["7"])
    #expect(try client.ask("CANCEL 3").hasPrefix("OK cancel 3 "))
    play.advance(seconds: 1)
    #expect(play.stored("CALLS") == [])
  }

  @Test("it is offered again when NATS has forgotten it")
  func again() throws {
    let play = try PlayedServer()
    let client = try play.framed(Self.ask)
    play.advance(seconds: 1)
    let (address, id) = try offered(play)
    play.advance(seconds: 27)
    #expect(play.stored("CALLS") == ["7", "7"])
    play.play { $0.streams["flow_CALLS"]?.messages.removeFirst() }
    let next = try offered(play)
    #expect(next.address == address && next.id != id)
    play.play { $0.deleteStream("CALLS") }
    play.advance(seconds: 30)
    #expect(play.stored("CALLS") == ["7"])
    client.close()
    // When the kernel tells of the end is not the test's to say.
    for _ in 0..<20 where play.stored("CALLS") != [] { play.advance(seconds: 1) }
    #expect(play.stored("CALLS") == [])
  }

  // MARK: The worker's side

  private func put(_ play: PlayedServer, _ argument: String, _ number: Int) {
    play.play { nats in
      nats.put(argument, at: "flow.s.up", into: "CALLS", headers: "Nats-Msg-Id: o.\(number).1\r\n")
    }
    play.settle()
  }

  @Test("a worker takes calls of others as far as it has demand, once their servers say so")
  func taken() throws {
    let play = try PlayedServer()
    let worker = try play.framed("SERVE up 2")
    play.advance(seconds: 1)
    for number in 1...3 { put(play, "\(number)", number) }
    let addresses = play.play { $0.said.map(\.own) }
    #expect(said(play) == ["flow.c.o.1 0 TAKE", "flow.c.o.2 0 TAKE"])
    #expect(try worker.linesSoFar() == [])
    // The second one went to another server meanwhile, so a third one can be had.
    say(play, "0 CANCEL", addresses[1])
    play.advance(seconds: 1)
    #expect(said(play).first == "flow.c.o.3 0 TAKE")
    say(play, "0 REQ 2", addresses[0])
    #expect(try worker.lines(2) == ["= 1.1 1", "REQ 1.1 2"])
    #expect(play.stored("CALLS") == ["3"])
    try play.say(worker, "= 1.1 a\n= 1.1 b\n= 1.1 c")
    #expect(said(play) == ["flow.c.o.1 1 = a", "flow.c.o.1 2 = b"])
    say(play, "1 REQ 1", addresses[0])
    #expect(try worker.line() == "REQ 1.1 1")
    try play.say(worker, "DONE 1.1")
    #expect(said(play) == ["flow.c.o.1 3 = c", "flow.c.o.1 4 DONE"])
  }

  @Test("a call whose server says something else leaves its place to the next one")
  func misunderstood() throws {
    let play = try PlayedServer()
    let worker = try play.framed("SERVE up 1")
    play.advance(seconds: 1)
    put(play, "1", 1)
    say(play, "0 HUM", own(play))
    put(play, "2", 2)
    play.advance(seconds: 1)
    #expect(said(play).contains("flow.c.o.2 0 TAKE"))
    #expect(try worker.linesSoFar() == [])
  }

  @Test("whose server cancels it, or is silent for 15 s, is taken from the worker")
  func cancelled() throws {
    let play = try PlayedServer()
    let worker = try play.framed("SERVE up max")
    play.advance(seconds: 1)
    put(play, "1", 1)
    say(play, "0 REQ 1", own(play))
    #expect(try worker.lines(2) == ["= 1.1 1", "REQ 1.1 1"])
    say(play, "1 CANCEL", own(play))
    #expect(try worker.line() == "CANCEL 1.1")
    _ = said(play)
    put(play, "2", 2)
    say(play, "0 REQ 1", own(play))
    #expect(try worker.lines(2) == ["= 1.2 2", "REQ 1.2 1"])
    play.advance(seconds: 14)
    #expect(try worker.linesSoFar() == [])
    play.advance(seconds: 3)
    #expect(try worker.line() == "CANCEL 1.2")
    // A worker that goes away says so.
    _ = said(play)
    put(play, "3", 3)
    say(play, "0 REQ 1", own(play))
    _ = try worker.lines(2)
    try play.say(worker, "CANCEL 1")
    #expect(said(play).last?.hasPrefix("flow.c.o.3 1 FAIL worker-lost ") == true)
  }

  @Test("a call is given back that is not said to be ours, or whose worker has another one by then")
  func notBegun() throws {
    let play = try PlayedServer()
    let worker = try play.framed("SERVE up 1")
    let client = try play.framed()
    play.advance(seconds: 1)
    put(play, "1", 1)
    play.advance(seconds: 7)
    #expect(said(play).prefix(2) == ["flow.c.o.1 0 TAKE", "flow.c.o.1 1 CANCEL"])
    put(play, "2", 2)
    let own = own(play)
    #expect(try client.ask("SUB ask(up, 8) max") == "OK sub 1 - demand=max")
    #expect(try worker.line() == "= 1.1 8")
    _ = try worker.line()
    say(play, "0 REQ 1", own)
    play.advance(seconds: 3)
    #expect(said(play) == ["flow.c.o.2 0 TAKE", "flow.c.o.2 1 CANCEL"])
    try play.say(worker, "DONE 1.1\nREQ 1 1")
    #expect(try client.line() == "DONE 1")
    #expect(try worker.linesSoFar() == [])
  }

  @Test("a call that nobody here can take any more is for others")
  func notTaken() throws {
    let play = try PlayedServer()
    let worker = try play.framed("SERVE up 1")
    play.advance(seconds: 1)
    try play.say(worker, "CANCEL 1")
    put(play, "1", 1)
    #expect(said(play) == [])
    let later = #"CALLS -NAK {"delay":1000000000} 1"#
    #expect(play.takeRequests("CALLS -NAK") == [later])
  }
}
