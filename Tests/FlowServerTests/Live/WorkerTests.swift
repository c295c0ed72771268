import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

extension TestServer {
  /// How many calls the workers of a service were given.
  fileprivate func given(by service: String) -> [Int] {
    server.perform { engine in
      engine.services.sorted.first { $0.name == service }?.workers.map { Int($0.given) } ?? []
    }
  }

  @Test("a stream that uses an id anew counts its calls on: a late frame means no other call")
  func idUsedAnew() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work 1 as=5")
    let client = try server.framed()
    _ = try client.ask("SUB ask(work, 1) 1")
    #expect(try worker.lines(2) == ["= 5.1 1", "REQ 5.1 1"])
    #expect(try worker.ask("CANCEL 5") == "OK cancel 5 values=1 missed=0 undelivered=0")
    #expect(try client.line().hasPrefix("FAIL 1 worker-lost "))
    _ = try client.ask("SUB ask(work, 2) 1")
    #expect(try worker.ask("SERVE work 1 as=5") == "OK serve 5 work demand=1")
    #expect(try worker.lines(2) == ["= 5.2 2", "REQ 5.2 1"])
    try worker.say("= 5.1 late", "DONE 5.1", "= 5.2 right", "DONE 5.2")
    #expect(try worker.linesSoFar() == [])
    #expect(try client.lines(2) == ["= 2 right", "DONE 2"])
    #expect(try worker.ask("SERVE work as=6") == "OK serve 6 work demand=0")
  }

  @Test("SHOW and STATS take the name of a service, beside a subject's of the same name")
  func showing() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work 3 as=5")
    let client = try server.framed()
    _ = try client.ask("SUB ask(work, 1) 1")
    let rows = [
      "* service work workers=1 demand=2 waiting=0 running=1 answered=0",
      "* worker client=1 id=5 name=work demand=2 calls=1 running=1",
      "* call client=1 id=5.1 name=work demand=1 values=0 held=0", "OK show work",
    ]
    try client.say("SHOW work")
    #expect(try client.lines(4) == rows)
    try client.say("STATS work")
    #expect(
      try client.rest(until: "OK stats 5").dropLast() == [
        "* flow_service_workers{service=\"work\"} 1",
        "* flow_service_demand_calls{service=\"work\"} 2",
        "* flow_service_calls{service=\"work\",state=\"waiting\"} 0",
        "* flow_service_calls{service=\"work\",state=\"running\"} 1",
        "* flow_service_calls_total{service=\"work\"} 0",
      ]
    )
    _ = try client.ask("SUBJECT work")
    try client.say("SHOW work")
    #expect(try client.lines(6).suffix(4) == rows)
    try client.say("STATS work")
    _ = try client.rest(until: "OK stats 15")
    #expect(try client.ask("SHOW wrok").hasPrefix("ERR unknown-name "))
    _ = worker
  }
}

@Suite("Workers of a service")
struct WorkerTests {
  /// How a worker goes.
  enum Leaving: String, CaseIterable {
    case disconnects, resets, cancels, asksForNothing, endsInputTyped, endsInputFramed, quits

    func perform(_ worker: TestClient) throws {
      switch self {
      case .disconnects: worker.close()
      case .resets: worker.reset()
      case .cancels: try worker.say("CANCEL 1")
      case .asksForNothing: try worker.say("REQ 1 0")
      case .endsInputTyped, .endsInputFramed: worker.endInput()
      case .quits: try worker.say("QUIT")
      }
    }
  }

  @Test(
    "a worker that goes fails its calls; retry makes another elsewhere",
    arguments: Leaving.allCases
  )
  func lost(_ leaving: Leaving) throws {
    let server = try TestServer()
    let worker = try leaving == .endsInputTyped ? server.connect() : server.framed()
    _ = try worker.ask("SERVE work 3 as=1")
    let client = try server.framed(
      "SUB ask(work, 1) 9 as=1",
      "SUB ask(work, 2).retry(3) 9 as=2",
      "SUB ask(work, 3).replaceError(with: null) 9 as=3",
      "SUB ask(work, 4) 9 as=4"
    )
    try leaving.perform(worker)
    #expect(
      try client.line() == "FAIL 1 worker-lost the worker of work has stopped or disconnected"
    )
    #expect(try client.lines(2) == ["= 3 null", "DONE 3"])
    let other = try server.framed("SERVE work 5")
    // The one that waited all the time is before the one that was made again.
    #expect(try other.lines(4) == ["= 1.1 4", "REQ 1.1 9", "= 1.2 2", "REQ 1.2 9"])
    try other.say("= 1.2 two", "DONE 1.2")
    #expect(try client.lines(2) == ["= 2 two", "DONE 2"])
  }

  @Test("REQ 0 ends that stream of a worker with bad-demand, CANCEL with its answer")
  func ends() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work 1 as=1", "SERVE work 1 as=2")
    let client = try server.framed("SUB ask(work, 1) max", "SUB ask(work, 2) max")
    _ = try worker.lines(4)
    #expect(try worker.ask("REQ 1 0") == "FAIL 1 bad-demand demand is 0, expected 1 or more")
    #expect(try client.line().hasPrefix("FAIL 1 worker-lost"))
    #expect(try worker.ask("CANCEL 2") == "OK cancel 2 values=1 missed=0 undelivered=0")
    #expect(try client.line().hasPrefix("FAIL 2 worker-lost"))
    #expect(try worker.ask("CANCEL 2") == "OK cancel 2 ended")
    #expect(try worker.ask("LIST services") == "OK list 0")
    try worker.say("= 1.1 x", "DONE 2.1", "REQ 2.1 1")
    #expect(try worker.linesSoFar() == [])
  }

  @Test("what a worker sent before it went is delivered before the failure")
  func lostAfterValues() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work 1")
    let client = try server.framed("SUB ask(work, 1) 1")
    try worker.say("= 1.1 a", "= 1.1 b")
    _ = try worker.linesSoFar()
    worker.close()
    #expect(try client.linesSoFar() == ["= 1 a"])
    try client.say("REQ 1 1")
    #expect(
      try client.lines(2) == [
        "= 1 b", "FAIL 1 worker-lost the worker of work has stopped or disconnected",
      ]
    )
  }

  @Test("the worker with most spare demand is next, and of several the one longest without a call")
  func choice() throws {
    let server = try TestServer()
    let workers = try [3, 1, 2].map { try server.framed("SERVE work \($0)") }
    let client = try server.framed("SUBJECT taps", "SUB taps.flatMap { ask(work, $0) } max")
    var chosen: [Int] = []
    for number in 1...6 {
      _ = try client.ask("SEND taps \(number)")
      for (index, worker) in workers.enumerated()
      where try worker.linesSoFar().contains(where: { $0.hasPrefix("= 1.") }) {
        chosen.append(index)
      }
    }
    // Spare demand 3 1 2, 2 1 2, 2 1 1, 1 1 1, ….
    #expect(chosen == [0, 2, 0, 1, 2, 0])
    _ = try client.ask("SEND taps 7")
    try workers[1].say("REQ 1 1")
    #expect(try workers[1].line() == "= 1.2 7")
  }

  @Test("workers without a limit take turns")
  func unlimited() throws {
    let server = try TestServer()
    let workers = try (0..<3).map { _ in try server.framed("SERVE work max") }
    let client = try server.framed("SUB (1...9).publisher.flatMap { ask(work, $0) } max")
    for (index, worker) in workers.enumerated() {
      let arguments = try worker.lines(6).filter { $0.hasPrefix("=") }.map {
        $0.split(separator: " ")[2]
      }
      #expect(arguments == [1, 4, 7].map { "\($0 + index)" })
    }
    let row = try client.ask("LIST services")
    #expect(row == "* service work workers=3 demand=max waiting=0 running=9 answered=0")
    withExtendedLifetime(workers) {}
  }

  @Test("a client may answer its own calls, and may go in the middle of it")
  func selfServing() throws {
    let server = try TestServer()
    let client = try server.framed("SERVE work 1 as=1")
    try client.say("SUB ask(work, 1) 1 as=2")
    #expect(try client.lines(3) == ["OK sub 2 - demand=1", "= 1.1 1", "REQ 1.1 1"])
    try client.say("= 1.1 x", "DONE 1.1")
    #expect(try client.lines(2) == ["= 2 x", "DONE 2"])
    try client.say("REQ 1 1", "SUB ask(work, 1) 1 as=2", "QUIT now")
    #expect(
      try client.rest()
        == ["OK sub 2 - demand=1", "= 1.2 1", "REQ 1.2 1", "OK quit", "BYE quit bye"]
    )
  }

  @Test("LIST shows services, their workers and their calls")
  func listing() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work 2 as=5")
    let client = try server.framed()
    for id in 1...2 { _ = try client.ask("SUB ask(work, \(id)) 1") }
    _ = try client.ask("SUB ask(idle, 0)")
    try worker.say("= 5.2 a", "= 5.2 b", "DONE 5.1")
    _ = try worker.linesSoFar()
    try client.say("LIST services")
    #expect(
      try client.rest(until: "OK list 2").filter { $0.hasPrefix("*") } == [
        "* service idle workers=0 demand=0 waiting=1 running=0 answered=0",
        "* service work workers=1 demand=0 waiting=0 running=1 answered=1",
      ]
    )
    try client.say("STATS")
    let rows = try client.rest { $0.hasPrefix("OK stats") }
    for row in [
      #"flow_streams{kind="service"} 1"#, #"flow_calls{state="waiting"} 1"#,
      #"flow_calls{state="running"} 1"#, "flow_calls_total 1", #"flow_frames_total{verb="="} 2"#,
    ] { #expect(rows.contains("* \(row)")) }
    try client.say("LIST streams")
    #expect(
      try client.rest(until: "OK list 4").prefix(2) == [
        "* worker client=1 id=5 name=work demand=0 calls=2 running=1",
        "* call client=1 id=5.2 name=work demand=0 values=1 held=1",
      ]
    )
    try client.say("LIST")
    #expect(try client.lines(3).last == "OK list 2")
  }

  @Test("HELP tells of SERVE and ask")
  func help() throws {
    let server = try TestServer()
    let client = try server.framed()
    try client.say("HELP SERVE", "HELP ask")
    let rows = try client.rest(until: "OK help ask")
    #expect(rows.first == "* SERVE NAME [N|max] [as=ID]")
    #expect(rows.contains("OK help SERVE"))
    #expect(rows.contains("* ask(service, value)"))
  }

  @Test("a worker that does not read is given no more than its window, and the others go on")
  func stalled() throws {
    let server = try TestServer()
    let stalled = try server.framed("SERVE work max")
    let worker = try server.framed("SERVE work 400")
    let client = try server.framed("SUBJECT taps", "SUB taps.flatMap { ask(work, $0) } max")
    let value = String(repeating: "x", count: 60_000)
    for _ in 0..<400 {
      #expect(try client.ask("SEND taps \(value)").hasPrefix("OK send taps to=1"))
    }
    var received = 0
    while received < server.given(by: "work")[1] || server.given(by: "work").reduce(0, +) < 400 {
      #expect(try worker.lines(2)[0].hasSuffix("x"))
      received += 1
    }
    let count = 400 - received
    #expect((1..<400).contains(count))
    // Once it reads, it gets calls again.
    for _ in 0..<count { _ = try stalled.lines(2) }
    _ = try stalled.ask("PING")
    _ = try client.ask("SEND taps last")
    #expect(try stalled.line() == "= 1.\(count + 1) last")
  }

  @Test("while the server goes away, workers stay for those who wait for them")
  func draining() throws {
    let server = try TestServer()
    let worker = try server.framed("SERVE work 1 as=1")
    let idle = try server.framed("SERVE other 1")
    let client = try server.framed(
      "SUB (1...2).publisher.flatMap(maxPublishers: .max(1)) { ask(work, $0) } 2"
    )
    _ = try worker.lines(2)
    server.server.stop(drain: 60) {}
    #expect(try client.line() == "DRAIN 60")
    #expect(try worker.line() == "DRAIN 60")
    #expect(try idle.line() == "DRAIN 60")
    #expect(try worker.ask("SERVE work 1").hasPrefix("ERR draining"))
    try worker.say("= 1.1 a", "DONE 1.1", "REQ 1 1", "PING")
    #expect(try worker.lines(3) == ["= 1.2 2", "REQ 1.2 1", "PONG"])
    try worker.say("= 1.2 b")
    #expect(try client.rest() == ["= 1 a", "= 1 b", "BYE shutdown the server is shutting down"])
    #expect(try worker.rest() == ["CANCEL 1.2", "BYE shutdown the server is shutting down"])
    #expect(try idle.rest() == ["BYE shutdown the server is shutting down"])
  }
}
