import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("Names with levels, and patterns")
struct NameLevelTests {
  private func server(_ names: String...) throws -> (TestServer, TestClient) {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    for name in names { _ = try client.ask("SUBJECT \(name)") }
    return (server, client)
  }

  @Test("a name with levels stands wherever a name does")
  func everywhere() throws {
    let (server, client) = try server("s/k/temp", "s/17", "out/all flow=free")
    #expect(
      try client.ask("PIPELINE p/hot = s/k/temp.filter { $0 > 4 / 2 }")
        == "OK pipeline p/hot stages=2"
    )
    #expect(
      try client.ask("RUN r/all = p/hot.merge(with: s/17).assign(to: out/all)") == "OK run r/all"
    )
    #expect(try client.ask("SUB out/all 5 as=1") == "OK sub 1 out/all demand=5")
    #expect(try client.ask("TAP s/k/temp 5 as=2") == "OK tap 2 s/k/temp demand=5")
    #expect(try client.ask("PUB s/17 as=3") == "OK pub 3 s/17 demand=max")
    try client.say("SEND s/k/temp 3")
    #expect(try Set(client.lines(3)) == ["= 1 3", "= 2 3", "OK send s/k/temp to=1 missed=0"])
    try client.say("= 3 7")
    #expect(try client.line() == "= 1 7")
    #expect(try client.ask("SHOW r/all").hasPrefix("* definition RUN r/all = p/hot"))
    _ = try client.rest(until: { $0.hasPrefix("OK show") })
    try client.say("STATS s/17")
    let rows = try client.rest(until: { $0.hasPrefix("OK stats") })
    #expect(rows.contains { $0.hasPrefix("* flow_subject_values_total{subject=\"s/17\"") })
    #expect(try client.ask("@r REQ out/all 2") == "@r OK req 1 demand=5")
    #expect(try client.ask("CANCEL out/all").hasPrefix("OK cancel 1"))
    #expect(try client.ask("DONE s/k/temp") == "OK done s/k/temp")
    _ = try client.linesSoFar()
    #expect(try client.ask("FAIL s/17 too-hot").contains("s/17"))
    _ = server
  }

  @Test("a worker's service may have levels")
  func services() throws {
    let (server, client) = try server("in/put")
    let worker = try server.connect()
    _ = try worker.ask("HELLO 1")
    #expect(try worker.ask("SERVE img/resize-2 1") == "OK serve 1 img/resize-2 demand=1")
    #expect(
      try client.ask("SUB in/put.flatMap { ask(img/resize-2, $0) } 1") == "OK sub 1 - demand=1"
    )
    try client.say("SEND in/put 4")
    #expect(try worker.line() == "= 1.1 4")
  }

  @Test(
    "what is no name is refused, and told why",
    arguments: [
      (
        "SEND a//b 1",
        "ERR usage name is \"a//b\", expected a name without empty levels, such as a/b"
      ),
      ("SEND /a 1", "ERR usage name is \"/a\", expected a name without empty levels, such as a"),
      ("SEND a/ 1", "ERR usage name is \"a/\", expected a name without empty levels, such as a"),
      (
        "SEND a/* 1",
        "ERR usage name is \"a/*\", expected one name; SUB, LIST and STATS take patterns"
      ),
      ("SUB a//b", "ERR syntax 5: a name has no empty levels; did you mean \"a/b\"?"),
      ("SUB a/c", "ERR unknown-name unknown name \"a/c\"; did you mean a/b?"),
      ("SEND a/c 1", "ERR unknown-name unknown name \"a/c\"; did you mean a/b?"),
      ("RUN r = a/b.assign(to: a/*)", "ERR syntax 24: a/* is a pattern, expected a subject"),
    ]
  )
  func refusals(_ line: String, _ answer: String) throws {
    let (server, client) = try server("a/b")
    #expect(try client.ask(line).hasPrefix(answer))
    _ = server
  }

  // MARK: Patterns

  @Test("LIST and STATS take patterns")
  func listing() throws {
    let (server, client) = try server("s/a", "s/b/c", "t", "lab-1")
    try client.say("LIST s/a")
    #expect(try client.lines(2).map { $0.prefix(13) } == ["* subject s/a", "OK list 1"])
    let unknown = "ERR unknown-name unknown name \"s/x\"; did you mean s/a?"
    #expect(try client.ask("LIST s/x") == unknown)
    #expect(try client.ask("LIST pipelines s/a") == "OK list 0")
    _ = try client.ask("PIPELINE s/p = t.map { $0 }")
    func names(_ command: String) throws -> [String] {
      try client.say(command)
      let rows = try client.rest(until: { $0.hasPrefix("OK") }).dropLast()
      return rows.map { String($0.split(separator: " ")[2]) }
    }
    #expect(try names("LIST s/*") == ["s/a", "s/p"])
    #expect(try names("LIST subjects s/**") == ["s/a", "s/b/c"])
    #expect(try names("LIST pipelines **") == ["s/p"])
    #expect(try names("LIST lab-*") == ["lab-1"])
    #expect(try names("LIST z/*") == [])
    #expect(try client.ask("SUB s/a as=4") == "OK sub 4 s/a demand=0")
    try client.say("LIST streams s/*")
    #expect(try client.rest(until: { $0.hasPrefix("OK") }).count == 2)
    try client.say("STATS s/**")
    let rows = try client.rest(until: { $0.hasPrefix("OK stats") })
    for name in ["s/a", "s/b/c"] {
      #expect(rows.contains { $0.hasPrefix("* flow_subject_values_total{subject=\"\(name)\"") })
    }
    #expect(!rows.contains { $0.contains("subject=\"t\"") })
    _ = server
  }

  @Test("a pattern joins what is there and what is made; what is deleted leaves")
  func subscribing() throws {
    let (server, client) = try server("s/a", "s/b", "t")
    let maker = try server.connect()
    _ = try maker.ask("HELLO 1")
    #expect(try client.ask("SUB s/** 100") == "OK sub 1 - demand=100")
    #expect(try maker.ask("SEND s/a 1") == "OK send s/a to=1 missed=0")
    #expect(try maker.ask("SEND t 2") == "OK send t to=0 missed=0")
    _ = try maker.ask("SUBJECT s/new/er")
    #expect(try maker.ask("SEND s/new/er 3") == "OK send s/new/er to=1 missed=0")
    _ = try maker.ask("DELETE s/a")
    _ = try maker.ask("DONE s/b")
    _ = try maker.ask("SUBJECT s/a current 7")
    #expect(try client.lines(3) == ["= 1 1", "= 1 3", "= 1 7"])
    #expect(try client.ask("CANCEL 1") == "OK cancel 1 values=3 missed=0 undelivered=0")
    #expect(try maker.ask("SEND s/a 8") == "OK send s/a to=0 missed=0")
  }

  @Test("misses are counted for each subject, and told")
  func missing() throws {
    let (server, client) = try server("s/a", "s/b")
    let sender = try server.connect()
    _ = try sender.ask("HELLO 1")
    #expect(try client.ask("SUB s/* 1") == "OK sub 1 - demand=1")
    #expect(try sender.ask("SEND s/a 1") == "OK send s/a to=1 missed=0")
    #expect(try sender.ask("SEND s/a 2") == "OK send s/a to=1 missed=0")
    #expect(try sender.ask("SEND s/a 3") == "OK send s/a to=0 missed=1")
    #expect(try sender.ask("SEND s/b 4") == "OK send s/b to=1 missed=0")
    #expect(try client.line() == "= 1 1")
    #expect(try client.ask("REQ 1 2") == "DROP 1 1 no-demand")
    #expect(try Set(client.lines(2)) == ["= 1 2", "= 1 4"])
  }

  @Test("a lossless subject waits for who reads a pattern")
  func lossless() throws {
    let (server, client) = try server("s/a flow=slowest", "s/b")
    let sender = try server.connect()
    _ = try sender.ask("HELLO 1")
    #expect(try client.ask("SUB s/* 1") == "OK sub 1 - demand=1")
    #expect(try sender.ask("SEND s/a 1") == "OK send s/a to=1 missed=0")
    #expect(try sender.ask("SEND s/a 2") == "OK send s/a to=1 missed=0")
    try sender.say("SEND s/a 3")
    #expect(try client.line() == "= 1 1")
    try client.say("REQ 1 2")
    #expect(try client.lines(2) == ["= 1 2", "= 1 3"])
    #expect(try sender.line() == "OK send s/a to=1 missed=0")
    #expect(try sender.ask("SEND s/a 4") == "OK send s/a to=1 missed=0")
    _ = server
  }

  @Test("pipelines and runs read patterns; a run that would feed itself is none")
  func runs() throws {
    let (server, client) = try server("s/a", "sum", "s/sum")
    #expect(
      try client.ask("RUN r = s/*.map { [$name, $0] }.assign(to: s/sum)")
        == "ERR cycle r would feed itself: s/sum → s/sum"
    )
    #expect(try client.ask("RUN r = s/*.map { [$name, $0] }.assign(to: sum)") == "OK run r")
    #expect(
      try client.ask("RUN b = sum.assign(to: s/sum)")
        == "ERR cycle b would feed itself: sum → s/sum → sum"
    )
    #expect(try client.ask("PIPELINE all = s/*.filter { $0 > 0 }") == "OK pipeline all stages=2")
    #expect(try client.ask("SUB sum 9") == "OK sub 1 sum demand=9")
    #expect(try client.ask("SUB all.map { $name } 9") == "OK sub 2 - demand=9")
    _ = try client.ask("SUBJECT s/b")
    try client.say("SEND s/b 4")
    #expect(
      try Set(client.lines(3)) == ["= 1 [\"s/b\",4]", "= 2 \"s/b\"", "OK send s/b to=2 missed=0"]
    )
    _ = server
  }

  @Test("$new gives names as they are made")
  func newNames() throws {
    let (server, client) = try server("s/a")
    #expect(try client.ask("SUB $new/s/* 5") == "OK sub 1 - demand=5")
    let maker = try server.connect()
    for name in ["s/b", "s/b/c", "t", "s/d"] { _ = try maker.ask("SUBJECT \(name)") }
    _ = try maker.ask("PIPELINE s/p = t")
    #expect(try client.lines(2) == ["= 1 \"s/b\"", "= 1 \"s/d\""])
    #expect(try client.ask("PING") == "PONG")
  }

  @Test("a token reads of a pattern what it may read, and no more")
  func rights() throws {
    var configuration = Configuration()
    configuration.tokens = [
      Token("root"),
      Token("lab", rights: [.subscribe, .define, .send], pattern: "lab/**,!lab/secret"),
    ]
    let server = try TestServer(configuration)
    let (root, lab) = (try server.connect(), try server.connect())
    _ = try root.ask("AUTH root")
    _ = try lab.ask("AUTH lab")
    _ = try lab.ask("HELLO 1")
    for name in ["lab/a", "lab/b/c", "lab/secret", "office"] { _ = try root.ask("SUBJECT \(name)") }
    #expect(try lab.ask("SUB ** 9") == "OK sub 1 - demand=9")
    #expect(try lab.ask("SUB $new/** 9 as=2") == "OK sub 2 - demand=9")
    #expect(
      try lab.ask("PIPELINE lab/all = **.map { [$name, $0] }") == "OK pipeline lab/all stages=2"
    )
    for name in ["office", "lab/secret", "lab/a", "lab/b/c"] { _ = try root.ask("SEND \(name) 1") }
    for name in ["office/2", "lab/d"] { _ = try root.ask("SUBJECT \(name)") }
    #expect(try lab.lines(3) == ["= 1 1", "= 1 1", "= 2 \"lab/d\""])
    // What it has defined hands on no more to anybody.
    _ = try root.ask("HELLO 1")
    #expect(try root.ask("SUB lab/all 9") == "OK sub 1 lab/all demand=9")
    _ = try root.ask("SEND office 1")
    try root.say("SEND lab/a 2")
    #expect(try Set(root.lines(2)) == ["= 1 [\"lab/a\",2]", "OK send lab/a to=2 missed=0"])
    try lab.say("LIST **")
    let rows = try lab.rest(until: { $0.hasPrefix("OK list") })
    #expect(rows.last == "OK list 4" && !rows.contains { $0.contains("secret") })
    #expect(try lab.ask("STATS lab/secret").hasPrefix("ERR denied"))
    try lab.say("STATS **")
    let stats = try lab.rest(until: { $0.hasPrefix("OK stats") })
    #expect(
      stats.contains { $0.contains("\"lab/a\"") } && !stats.contains { $0.contains("office") }
    )
  }

  @Test("one star is one level for a token, too")
  func oneLevel() throws {
    var configuration = Configuration()
    configuration.tokens = [Token("flat", rights: .all, pattern: "lab-*")]
    let server = try TestServer(configuration)
    let client = try server.connect()
    _ = try client.ask("AUTH flat")
    #expect(try client.ask("SUBJECT lab-1") == "OK subject lab-1 passthrough flow=free")
    #expect(try client.ask("SUBJECT lab-1/a").hasPrefix("ERR denied"))
  }

  @Test("nothing of subjects that come and go stays with a pattern")
  func comingAndGoing() throws {
    let (server, client) = try server("s/a")
    #expect(try client.ask("SUB s/** 1000") == "OK sub 1 - demand=1000")
    let maker = try server.connect()
    _ = try maker.ask("HELLO 1")
    for _ in 1...50 {
      _ = try maker.ask("SUBJECT s/x")
      #expect(try maker.ask("SEND s/x 1") == "OK send s/x to=1 missed=0")
      _ = try maker.ask("DELETE s/x")
    }
    #expect(try client.lines(50) == Array(repeating: "= 1 1", count: 50))
    #expect(try client.ask("CANCEL 1") == "OK cancel 1 values=50 missed=0 undelivered=0")
  }
}
