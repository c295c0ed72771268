import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("Standing pipelines")
struct RunTests {
  @Test("assign sends what the pipeline makes, and leaves the subject open at its end")
  func assign() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT revenue replay 10")
    #expect(
      try client.ask("RUN t = (1...4).publisher.scan(0) { $0 + $1 }.assign(to: revenue)")
        == "OK run t"
    )
    try client.say("TAKE revenue 4")
    #expect(
      try client.lines(6) == [
        "OK take 1 revenue demand=4", "= 1 1", "= 1 3", "= 1 6", "= 1 10", "DONE 1",
      ]
    )
    #expect(try state(of: "t", client) == "state=finished values=4 missed=0 held=0 demand=0")
    #expect(try client.ask("SEND revenue 5") == "OK send revenue to=0 missed=0")
  }

  @Test("subscribe passes the end on, a failure too")
  func subscribe() throws {
    let server = try TestServer()
    let client = try server.connect()
    for name in ["a", "b", "c"] { _ = try client.ask("SUBJECT \(name)") }
    _ = try client.ask("RUN ab = a.subscribe(b)")
    _ = try client.ask("RUN bc = b.map { $0 * 2 }.subscribe(c)")
    try client.say("SUB c 3")
    _ = try client.line()
    try client.say("SEND a 21", "FAIL a too-hot it burns")
    #expect(
      try client.lines(4) == [
        "= 1 42", "OK send a to=1 missed=0", "OK fail a", "FAIL 1 too-hot it burns",
      ]
    )
    #expect(try client.ask("SEND b 1").hasPrefix("ERR completed"))
    try client.say("SHOW bc")
    #expect(
      try client.lines(6) == [
        "* definition RUN bc = b.map { $0 * 2 }.subscribe(c)",
        "* stage 0 b in=1 out=1 dropped=0 held=0 consumed=0 demand=0",
        "* stage 1 map { $0 * 2 } in=1 out=1 dropped=0 held=0 consumed=0 demand=0",
        "* stage 2 subscribe(c)",
        "* state=failed values=1 missed=0 held=0 demand=0", "* failure too-hot it burns",
      ]
    )
  }

  @Test("the subject's subscribers hold a run up, and nothing is lost")
  func lossless() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT out flow=slowest")
    _ = try client.ask("RUN t = (1...1000).publisher.subscribe(out)")
    #expect(try state(of: "t", client) == "state=running values=0 missed=0 held=0 demand=0")
    try client.say("SUB out 3")
    #expect(
      try client.lines(4) == ["OK sub 1 out demand=3", "= 1 1", "= 1 2", "= 1 3"]
    )
    #expect(try state(of: "t", client) == "state=running values=3 missed=0 held=0 demand=0")
    try client.say("REQ 1 997")
    #expect(try client.line() == "OK req 1 demand=997")
    #expect(try client.lines(997) == (4...1000).map { "= 1 \($0)" })
    #expect(try client.line() == "DONE 1")
    #expect(try state(of: "t", client) == "state=finished values=1000 missed=0 held=0 demand=0")
  }

  @Test(
    "what the stages of a run held when it failed is counted as missed",
    arguments: [
      (
        "in.buffer(size: 9, prefetch: .byRequest, whenFull: .dropOldest)"
          + ".map { $0 == 2 ? fail(\"2\") : $0 }", "1", 3
      ),
      ("in.flatMap { Just($0) }.merge(with: stop)", "1", 4),
      ("in.delay(for: 5).merge(with: stop)", "max", 5),
      ("in.map { $0 }.merge(with: stop)", "max", 0),
      ("in.collect().merge(with: stop)", "max", 5),
      ("in.collect(4).merge(with: stop)", "max", 1),
      ("in.collect(.byTime(DispatchQueue.main, 9)).merge(with: stop)", "max", 5),
      ("in.zip(stop)", "max", 5),
      ("in.last().merge(with: stop)", "max", 1),
    ]
  )
  func failedWithValues(pipeline: String, demand: String, missed: Int) throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    let flow = demand == "max" ? "free" : "slowest"
    for name in ["in", "stop", "out flow=\(flow)"] { _ = try client.ask("SUBJECT \(name)") }
    let reader = try server.connect()
    _ = try reader.ask("SUB out \(demand)")
    #expect(try client.ask("RUN r = \(pipeline).assign(to: out)") == "OK run r")
    for number in 1...5 {
      #expect(try client.ask("SEND in \(number)") == "OK send in to=1 missed=0")
    }
    if pipeline.contains("stop") {
      #expect(try client.ask("FAIL stop odd") == "OK fail stop")
    } else {
      #expect(try reader.line() == "= 1 1")
      #expect(try reader.ask("REQ 1 1") == "OK req 1 demand=1")
    }
    let row = try state(of: "r", client)
    #expect(row.hasPrefix("state=failed ") && row.contains(" missed=\(missed) "), "\(row)")
    try client.say("STATS r")
    let metric = "* flow_run_missed_values_total{run=\"r\",reason=\"inside\"} \(missed)"
    #expect(try client.rest(until: { $0.hasPrefix("OK stats") }).contains(metric))
  }

  @Test("the remote publisher of a run's source is granted what the run's subject is")
  func demandCrosses() throws {
    let server = try TestServer()
    let publisher = try server.connect()
    let client = try server.connect()
    _ = try client.ask("SUBJECT in flow=slowest")
    _ = try client.ask("SUBJECT out flow=slowest")
    _ = try client.ask("RUN t = in.filter { $0 > 1 }.assign(to: out)")
    #expect(try publisher.ask("PUB in as=9") == "OK pub 9 in demand=0")
    _ = try client.ask("SUB out 2")
    #expect(try publisher.line() == "REQ 9 2")
    try publisher.say("= 9 1")
    #expect(try publisher.lines(2).sorted() == ["OK value 9 to=1 missed=0 demand=1", "REQ 9 1"])
    try publisher.say("= 9 2", "= 9 3")
    #expect(
      try publisher.lines(2)
        == ["OK value 9 to=1 missed=0 demand=1", "OK value 9 to=1 missed=0 demand=0"]
    )
    #expect(try client.lines(2) == ["= 1 2", "= 1 3"])
  }

  @Test("an endless source leaves the server to others")
  func endless() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT sink")
    #expect(try client.ask("RUN t = (1...1000000000000).publisher.assign(to: sink)") == "OK run t")
    for number in 1...20 { #expect(try client.ask("PING \(number)") == "PONG \(number)") }
    #expect(try state(of: "t", client).hasPrefix("state=running"))
    #expect(try client.ask("DELETE t") == "OK delete t")
  }

  @Test("cycles are refused, over other runs and pipelines too")
  func cycles() throws {
    let server = try TestServer()
    let client = try server.connect()
    for name in ["a", "b", "c"] { _ = try client.ask("SUBJECT \(name)") }
    _ = try client.ask("PIPELINE p = c.merge(with: b)")
    #expect(
      try client.ask("RUN x = a.assign(to: a)") == "ERR cycle x would feed itself: a → a"
    )
    _ = try client.ask("RUN ab = a.assign(to: b)")
    _ = try client.ask("RUN bc = b.assign(to: c)")
    #expect(
      try client.ask("RUN x = p.assign(to: a)") == "ERR cycle x would feed itself: b → a → b"
    )
    _ = try client.ask("DELETE ab")
    #expect(
      try client.ask("RUN x = c.flatMap { a }.assign(to: b)")
        == "ERR cycle x would feed itself: c → b → c"
    )
    #expect(try client.ask("RUN x = p.assign(to: a)") == "OK run x")
  }

  @Test("a deleted subject fails the runs that read it and those that feed it")
  func deletedSubject() throws {
    let server = try TestServer()
    let client = try server.connect()
    for name in ["a", "b", "c"] { _ = try client.ask("SUBJECT \(name)") }
    _ = try client.ask("RUN reads = b.assign(to: c)")
    _ = try client.ask("RUN feeds = a.assign(to: b)")
    _ = try client.ask("DELETE b")
    for name in ["reads", "feeds"] {
      try client.say("SHOW \(name)")
      #expect(try client.lines(5).last == "* failure deleted subject b was deleted")
      _ = try client.line()
    }
    #expect(try client.ask("SEND a 1") == "OK send a to=0 missed=0")
  }

  @Test("deleting a run lets what it holds go out, and leaves the subject open")
  func deletedRun() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT a")
    _ = try client.ask("SUBJECT out flow=slowest")
    _ = try client.ask("SUB out 1")
    // Two subscriptions, the second without room: the value that comes is held by the run.
    _ = try client.ask("RUN t = a.subscribe(out)")
    let other = try server.connect()
    _ = try other.ask("SUB out")
    #expect(try client.ask("SEND a 1") == "OK send a to=1 missed=0")
    #expect(try state(of: "t", client) == "state=running values=1 missed=0 held=1 demand=0")
    #expect(try client.ask("DELETE t") == "OK delete t")
    try other.say("REQ 1 1")
    #expect(try other.lines(3).dropFirst() == ["OK req 1 demand=1", "= 1 1"])
    #expect(try client.line() == "= 1 1")
    #expect(try client.ask("PUB out") == "OK pub 2 out demand=0")
  }

  @Test("what a run misses is counted, by it and by its subject")
  func misses() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT a")
    _ = try client.ask("SUBJECT out flow=slowest")
    _ = try client.ask(
      "RUN t = a.buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest).assign(to: out)"
    )
    for value in 1...5 { _ = try client.ask("SEND a \(value)") }
    #expect(try state(of: "t", client) == "state=running values=0 missed=3 held=0 demand=0")
  }

  @Test(
    "mistakes are refused and shown",
    arguments: [
      ("RUN t = a", "ERR syntax 10: a run must end in .subscribe(SUBJECT) or .assign(to: SUBJECT)"),
      ("RUN t = a.assign(to: p)", "ERR syntax 22: p is a pipeline, expected a subject"),
      ("RUN a = b.assign(to: a)", "ERR exists a has a different definition; DELETE a first"),
      (
        "RUN t = b.assign(to: over)",
        "ERR completed subject over has completed; DELETE it first, then define it again"
      ),
      ("RUN r = b.assign(to: a)", "ERR exists r has a different definition; DELETE r first"),
      ("RUN r = a.assign(to: b)", "OK run r"),
      ("RUN e = Empty().assign(to: b)", "ERR exists run e has ended; DELETE e first"),
      ("SUB r 1", "ERR usage r is a run; read b, where its values go"),
      ("SEND r 1", "ERR usage r is a run, expected a subject"),
      ("DONE r", "ERR usage r is not a subject; only a subject can be completed"),
      ("PIPELINE r = a", "ERR exists r has a different definition; DELETE r first"),
      ("SUB r.map { $0 } 1", "ERR syntax 5: r is a run; read b, where its values go"),
      ("SUB r-x.map { $0 } 1", "ERR syntax 5: r-x is a run; read b, where its values go"),
      ("PIPELINE q = a.merge(with: r)", "ERR syntax 28: r is a run; read b, where its values go"),
      ("RUN t = a.assign(to: r)", "ERR syntax 22: r is a run, expected a subject"),
    ]
  )
  func mistakes(line: String, answer: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    for name in ["a", "b", "over"] { _ = try client.ask("SUBJECT \(name)") }
    _ = try client.ask("PIPELINE p = a.map { $0 }")
    _ = try client.ask("DONE over")
    _ = try client.ask("RUN r = a.assign(to: b)")
    _ = try client.ask("RUN r-x = a.assign(to: b)")
    _ = try client.ask("RUN e = Empty().assign(to: b)")
    #expect(try client.ask(line).hasPrefix(answer))
  }

  /// The figures of a run, as LIST tells them.
  private func state(of name: String, _ client: TestClient) throws -> String {
    try client.say("LIST runs")
    var found = ""
    while case let line = try client.line(), line.hasPrefix("* ") {
      guard line.hasPrefix("* run \(name) ") else { continue }
      let words = line.split(separator: " ").drop { !$0.hasPrefix("state=") }
      found = words.joined(separator: " ")
    }
    return found
  }
}
