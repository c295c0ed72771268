import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("RUN … restart=")
struct RestartTests {
  private let server: TestServer
  private let client: TestClient

  init() throws {
    server = try TestServer()
    client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT jobs")
    _ = try client.ask("SUBJECT done replay 100")
  }

  private func define(_ restart: String = "restart=1s", _ ending: String = "assign(to: done)")
    throws
  {
    let text = "RUN work \(restart) = jobs.map { $0 < 0 ? fail(\"below 0\") : $0 * 10 }.\(ending)"
    #expect(try client.ask(text) == "OK run work")
  }

  private func rows(_ line: String) throws -> [String] {
    try client.say(line)
    return try client.rest { $0.hasPrefix("OK ") || $0.hasPrefix("ERR ") }
  }

  private func state(of name: String = "work") throws -> String {
    try rows("SHOW \(name)").last { $0.hasPrefix("* state=") }.map { String($0.dropFirst(2)) } ?? ""
  }

  private func metric(_ name: String) throws -> String? {
    try rows("STATS work").first { $0.hasPrefix("* \(name){") }
  }

  @Test("a run that has failed starts again after its time, and goes on")
  func starts() throws {
    try define()
    #expect(try client.ask("SEND jobs 1") == "OK send jobs to=1 missed=0")
    #expect(try state().hasPrefix("state=running values=1 missed=0 "))
    #expect(try client.ask("SEND jobs -1") == "OK send jobs to=1 missed=0")
    #expect(
      try state() == "state=waiting values=1 missed=0 held=0 demand=0 restarts=0 next=1000ms"
    )
    #expect(try rows("SHOW work").contains("* failure stage below 0"))
    #expect(try metric("flow_run_running") == "* flow_run_running{run=\"work\"} 0")
    #expect(try client.ask("SEND jobs 2") == "OK send jobs to=0 missed=0")
    server.advance(seconds: 0.999)
    #expect(try state().hasPrefix("state=waiting "))
    server.advance(seconds: 0.001)
    #expect(try state() == "state=running values=1 missed=0 held=0 demand=max restarts=1")
    #expect(try !rows("SHOW work").contains { $0.hasPrefix("* failure") })
    #expect(try client.ask("SEND jobs 3") == "OK send jobs to=1 missed=0")
    #expect(try metric("flow_run_restarts_total") == "* flow_run_restarts_total{run=\"work\"} 1")
    #expect(try metric("flow_run_running") == "* flow_run_running{run=\"work\"} 1")
    _ = try client.ask("DONE done")
    #expect(try rows("SUB done 9").suffix(1) == ["OK sub 1 done demand=9"])
    #expect(try client.lines(3) == ["= 1 10", "= 1 30", "DONE 1"])
  }

  @Test("the definition is told and compared with its restart")
  func definition() throws {
    try define()
    let definition = try rows("SHOW work").first { $0.hasPrefix("* definition ") } ?? ""
    #expect(definition.hasPrefix("* definition RUN work restart=1s = jobs.map {"))
    try define("restart=1000ms")
    #expect(
      try client.ask(String(definition.dropFirst(13)).replacing("restart=1s", with: "restart=2s"))
        .hasPrefix("ERR exists")
    )
    #expect(
      try client.ask(String(definition.dropFirst(13)).replacing("restart=1s ", with: ""))
        .hasPrefix("ERR exists")
    )
  }

  @Test("the time doubles with each failure, up to a minute, and begins anew after a steady life")
  func backoff() throws {
    try define("restart=5s")
    for wait in [5000, 10_000, 20_000, 40_000, 60_000, 60_000] {
      _ = try client.ask("SEND jobs -1")
      #expect(try state().hasSuffix(" next=\(wait)ms"))
      server.advance(seconds: Double(wait) / 1000)
      #expect(try state().hasPrefix("state=running "))
    }
    server.advance(seconds: 59)
    _ = try client.ask("SEND jobs -1")
    #expect(try state().hasSuffix(" next=60000ms"))
    server.advance(seconds: 60)
    server.advance(seconds: 60)
    _ = try client.ask("SEND jobs -1")
    #expect(try state().hasSuffix(" restarts=7 next=5000ms"))
  }

  @Test("a time of more than a minute does not grow")
  func long() throws {
    try define("restart=10m")
    for _ in 0..<3 {
      _ = try client.ask("SEND jobs -1")
      #expect(try state().hasSuffix(" next=600000ms"))
      server.advance(seconds: 600)
    }
  }

  @Test("its subject stays open at a failure, and ends with the run's good end")
  func subscribe() throws {
    try define("restart=1s", "subscribe(done)")
    _ = try client.ask("SEND jobs -1")
    #expect(try client.ask("SEND done 5").hasPrefix("OK send done"))
    server.advance(seconds: 1)
    _ = try client.ask("DONE jobs")
    #expect(try state().hasPrefix("state=finished "))
    server.advance(seconds: 100)
    #expect(try state() == "state=finished values=0 missed=0 held=0 demand=0 restarts=1")
    #expect(try client.ask("SEND done 5").hasPrefix("ERR completed"))
  }

  @Test("what was inside is counted once for each failure")
  func inside() throws {
    _ = try client.ask("SUBJECT stop")
    #expect(
      try client.ask(
        "RUN work restart=1s = jobs.collect().merge(with: stop.map { fail(\"x\") }).assign(to: done)"
      )
        == "OK run work"
    )
    for round in 1...3 {
      for value in 1...5 { _ = try client.ask("SEND jobs \(value)") }
      _ = try client.ask("SEND stop 1")
      #expect(try state().contains(" missed=\(round * 5) "))
      server.advance(seconds: 1000)
      #expect(try state().contains(" missed=\(round * 5) "))
    }
  }

  @Test("DELETE and KILL end it while it waits, and nothing comes back")
  func ends() throws {
    try define()
    _ = try client.ask("SEND jobs -1")
    #expect(try client.ask("DELETE work") == "OK delete work")
    server.advance(seconds: 10)
    #expect(try client.ask("SEND jobs 1") == "OK send jobs to=0 missed=0")
    try define()
    _ = try client.ask("SEND jobs -1")
    #expect(try client.ask("KILL NAME work") == "OK kill name work ended=1")
    server.advance(seconds: 10)
    #expect(try state().hasPrefix("state=failed "))
    #expect(try rows("SHOW work").contains("* failure killed ended by an administrator"))
  }

  @Test("a name that is gone is not waited for", arguments: ["jobs", "done"])
  func deleted(_ name: String) throws {
    try define()
    _ = try client.ask("DELETE \(name)")
    #expect(try rows("SHOW work").contains("* failure deleted subject \(name) was deleted"))
    #expect(try state().hasPrefix("state=failed "))
  }

  @Test("a subject that goes while it waits ends it when it would start")
  func deletedWhileWaiting() throws {
    try define()
    _ = try client.ask("SEND jobs -1")
    _ = try client.ask("DELETE done")
    #expect(try state().hasPrefix("state=waiting "))
    server.advance(seconds: 1)
    #expect(try rows("SHOW work").contains("* failure deleted subject done was deleted"))
  }

  @Test("while it waits it still counts for circles")
  func cycle() throws {
    try define()
    _ = try client.ask("SEND jobs -1")
    #expect(
      try client.ask("RUN back = done.assign(to: jobs)")
        == "ERR cycle back would feed itself: done → jobs → done"
    )
  }

  @Test("a service without workers is waited for, and a call that fails is one failure")
  func calls() throws {
    let worker = try server.connect()
    _ = try worker.ask("HELLO 1")
    #expect(
      try client.ask("RUN work restart=1s = jobs.flatMap { ask(build, $0) }.assign(to: done)")
        == "OK run work"
    )
    _ = try client.ask("SEND jobs 1")
    _ = try worker.ask("SERVE build 9 as=5")
    #expect(try worker.lines(2) == ["= 5.1 1", "REQ 5.1 max"])
    try worker.say("FAIL 5.1 exit-9 it broke")
    #expect(try worker.ask("PING") == "PONG")
    #expect(try state().hasPrefix("state=waiting "))
    server.advance(seconds: 1)
    _ = try client.ask("SEND jobs 2")
    #expect(try worker.lines(2) == ["= 5.2 2", "REQ 5.2 max"])
    try worker.say("= 5.2 22", "DONE 5.2")
    #expect(try worker.ask("PING") == "PONG")
    #expect(try state() == "state=running values=1 missed=0 held=0 demand=max restarts=1")
  }

  @Test("a source that fails at once, a share and a tap go on with each life")
  func lives() throws {
    let onlooker = try server.connect()
    _ = try onlooker.ask("HELLO 1")
    #expect(
      try client.ask(
        "RUN work restart=1s = [1, 2].publisher.append(Fail(\"odd\")).share().assign(to: done)"
      ) == "OK run work"
    )
    #expect(try state().hasPrefix("state=waiting values=2 missed=0 held=0 demand=0 restarts=0"))
    #expect(try onlooker.ask("TAP work max as=1") == "OK tap 1 work demand=max")
    for (life, wait) in zip(1...3, [1.0, 2, 4]) {
      server.advance(seconds: wait)
      #expect(try onlooker.lines(2) == ["= 1 1", "= 1 2"])
      #expect(try state().contains(" values=\(2 + life * 2) "))
    }
    _ = try client.ask("DELETE work")
    #expect(try onlooker.line() == "FAIL 1 deleted run work was deleted")
  }

  @Test("$events tells of each failure, and when it starts again")
  func events() throws {
    let watcher = try server.connect()
    _ = try watcher.ask("SUB $events.filter { $0.name == \"work\" } max")
    try define()
    #expect(try watcher.line().contains("\"defined\""))
    _ = try client.ask("SEND jobs -1")
    #expect(
      try watcher.line().hasPrefix(
        "= 1 {\"event\":\"restarting\",\"name\":\"work\",\"reason\":\"stage\",\"text\":\"below 0\",\"wait\":1000,"
      )
    )
  }

  @Test("who reads or feeds a subject no more is part of the verdict on it")
  func verdict() throws {
    try define("restart=9s")
    _ = try client.ask("SUB done 1 as=1")
    _ = try client.ask("SEND jobs -1")
    let jobs = try rows("WATCH jobs").joined()
    #expect(jobs.contains("Nobody reads jobs: run work has failed with stage."))
    #expect(jobs.contains("It starts again in 9 s."))
    #expect(try rows("WATCH work").joined().contains("\"restarts\":0"))
    let done = try rows("WATCH done").joined()
    #expect(done.contains("Nobody sends to done: run work has failed with stage."))
    _ = try client.ask("PIPELINE p = done.map { $0 }")
    _ = try client.ask("SUB p max as=2")
    _ = try rows("WATCH p")
    for _ in 0..<60 { server.advance(seconds: 0.025) }
    let reader = try rows("WATCH p").joined()
    #expect(reader.contains("Nothing comes from done: run work has failed with stage."))
    server.advance(seconds: 7.5)
    #expect(try state().hasPrefix("state=running "))
    for _ in 0..<100 { server.advance(seconds: 0.025) }
    #expect(try !rows("WATCH p").joined().contains("has failed"))
    #expect(try !rows("WATCH jobs").joined().contains("has failed"))
  }

  @Test("files have it, and a change of it alone makes the run anew")
  func files() throws {
    let text = "SUBJECT a\nSUBJECT b\nRUN r restart=500ms = a.map { fail(\"x\") }.assign(to: b)\n"
    func load(_ text: String) throws -> [String] {
      try server.server.load(["x.flow"]) { _ in text }
    }
    _ = try load(text)
    _ = try client.ask("SEND a 1")
    #expect(try state(of: "r").hasSuffix(" restarts=0 next=500ms"))
    server.advance(seconds: 0.5)
    #expect(try state(of: "r").hasSuffix(" restarts=1"))
    #expect(try load("# again\n\(text)") == ["unchanged: 3"])
    _ = try client.ask("SEND a 1")
    let changed = text.replacing("500ms", with: "2s")
    #expect(try load(changed) == ["changed r", "unchanged: 2"])
    #expect(try state(of: "r").hasSuffix(" restarts=0"))
    server.advance(seconds: 10)
    #expect(try state(of: "r") == "state=running values=0 missed=0 held=0 demand=max restarts=0")
  }

  @Test("a subject in NATS has runs that go on by themselves")
  func nats() throws {
    var configuration = Configuration()
    configuration.nats.servers = ["127.0.0.1:1"]
    let server = try TestServer(configuration)
    let error = #expect(throws: (any Error).self) {
      try server.server.load(
        "SUBJECT a\nSUBJECT b on=nats\nRUN r restart=1s = a.assign(to: b)\n",
        file: "x"
      )
    }
    #expect(error.map { "\($0)" }?.contains("b is in NATS") ?? false)
  }
}
