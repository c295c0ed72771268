import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

/// What pipelines that others have defined tell those who may not read all that they read.
@Suite("Names and values that a token is not good for")
struct HiddenNamesTests {
  private func server() throws -> (TestServer, root: TestClient) {
    var configuration = Configuration()
    configuration.tokens = [
      Token("root"),
      Token("reader", rights: .subscribe, pattern: "pub-*,!pub-no-*"),
      Token("sender", rights: .send, pattern: "pub-*"),
      Token("maker", rights: [.define, .subscribe, .publish], pattern: "pub-*"),
    ]
    let server = try TestServer(configuration)
    let root = try server.connect()
    _ = try root.ask("AUTH root")
    let definitions = [
      "SUBJECT pub-a", "SUBJECT secret current 77", "SUBJECT pub-b current 88",
      "PIPELINE hidden = pub-a.map { $0 }",
      "PIPELINE pub-c = secret.tryMap { $0.price }", "PIPELINE pub-d = hidden.tryMap { $0.price }",
      "PIPELINE pub-e = pub-a.tryMap { $0.price }", "PIPELINE pub-f = pub-c.map { $0 }",
      "PIPELINE pub-g = secret", "PIPELINE pub-h = pub-a.flatMap { ask(hidden, $0) }",
    ]
    for line in definitions { #expect(try root.ask(line).hasPrefix("OK ")) }
    return (server, root)
  }

  private func client(_ token: String, _ server: TestServer) throws -> TestClient {
    let client = try server.connect()
    _ = try client.ask("AUTH \(token)")
    return client
  }

  private func answer(_ line: String, _ client: TestClient) throws -> [String] {
    try client.say(line)
    return try client.rest { $0.hasPrefix("OK ") || $0.hasPrefix("ERR ") }
  }

  @Test("are in no verdict, where a run has failed that would send to what is read")
  func failedSender() throws {
    let (server, root) = try server()
    _ = try root.ask("PIPELINE pub-k = secret.map { $0 }")
    _ = try root.ask("RUN pub-s = pub-a.map { fail(\"odd\") }.assign(to: secret)")
    _ = try root.ask("RUN other = pub-b.map { fail(\"odd\") }.assign(to: secret)")
    let reader = try client("reader", server)
    _ = try reader.ask("SUB pub-k max")
    _ = try reader.line()
    #expect(try root.ask("SEND pub-a 1") == "OK send pub-a to=1 missed=0")
    var last: [String] = []
    var ofRoot: [String] = []
    for _ in 0..<4 {
      last = try answer("WATCH pub-k", reader)
      ofRoot = try answer("WATCH pub-k", root)
      for _ in 0..<80 { server.advance(seconds: 0.025) }
    }
    #expect(ofRoot.joined().contains("Nothing comes from secret: run "), "\(ofRoot)")
    #expect(last.joined().contains("\"text\":\"Quiet.\""), "\(last)")
    #expect(!last.joined().contains("secret") && !last.joined().contains("has failed"))
    let sent = try answer("WATCH pub-a", reader).joined()
    #expect(sent.contains("Nobody reads pub-a: run pub-s has failed with stage."), "\(sent)")
    let hidden = try answer("WATCH pub-b", reader).joined()
    #expect(hidden.contains("\"Nobody reads pub-b.\"") && !hidden.contains("other"), "\(hidden)")
  }

  @Test("are in no verdict on a service without a worker")
  func unservedService() throws {
    let (server, root) = try server()
    let reader = try client("reader", server)
    _ = try root.ask("RUN pub-w = pub-h.assign(to: secret)")
    _ = try root.ask("SUB ask(hidden, 1) 1")
    _ = try reader.ask("SUB pub-h max")
    _ = try root.ask("SEND pub-a 1")
    var (last, ofRoot) = ("", "")
    for _ in 0..<4 {
      last = try answer("WATCH pub-h", reader).joined()
      ofRoot = try answer("WATCH pub-h", root).joined()
      for _ in 0..<80 { server.advance(seconds: 0.025) }
    }
    #expect(
      ofRoot.contains("Held up by flatMap: hidden has no worker, and 3 calls wait."),
      "\(ofRoot)"
    )
    #expect(ofRoot.contains(#""unserved":[{"service":"hidden","calls":3"#), "\(ofRoot)")
    #expect(last.contains("Held up by one of its stages."), "\(last)")
    #expect(!last.contains("hidden") && !last.contains("unserved"), "\(last)")
  }

  @Test(
    "are in no row",
    arguments: [
      "LIST", "LIST pipelines", "LIST runs", "LIST subjects", "SHOW pub-a", "SHOW pub-c",
      "SHOW pub-d", "SHOW pub-f", "SHOW pub-g", "SHOW pub-h", "SHOW pub-r", "EXPLAIN pub-c",
      "EXPLAIN pub-d", "EXPLAIN pub-f.map { $0 }", "EXPLAIN pub-g", "EXPLAIN pub-h",
      "EXPLAIN pub-r", "STATS pub-c", "STATS pub-r", "WATCH", "WATCH pub-c", "WATCH pub-d",
      "WATCH pub-f",
      "WATCH pub-h", "WATCH pub-r", "WATCH pub-s", "SUB pub-r", "SUB pub-s", "SHOW pub-s",
    ],
    ["reader", "maker"]
  )
  func rows(_ line: String, _ token: String) throws {
    let (server, root) = try server()
    _ = try root.ask("SUBJECT others")
    _ = try root.ask("RUN pub-r = secret.map { $0 }.assign(to: pub-a)")
    _ = try root.ask("RUN pub-s = pub-b.map { $0 }.assign(to: secret)")
    _ = try root.ask("RUN hidden-run = pub-a.map { $0 }.assign(to: others)")
    let reader = try client(token, server)
    for answer in try answer(line, reader) {
      #expect(!answer.contains("secret") && !answer.contains("hidden"), "\(answer)")
      // When the server began is no secret, and may be any number.
      let others = answer.replacing(/"started":[0-9]+/, with: "")
      #expect(!others.contains("77"), "\(answer)")
    }
    let all = try answer(line, client("root", server))
    #expect(
      all.contains { $0.contains("secret") || $0.contains("hidden") } || line.hasPrefix("STATS")
        || line.hasPrefix("SUB")
    )
  }

  @Test("what the client has written itself is shown, and all of what it may read")
  func ownText() throws {
    let (server, _) = try server()
    let reader = try client("reader", server)
    let rows = try answer("EXPLAIN pub-c.filter { $0 > 3 }", reader)
    #expect(rows.contains { $0.contains("stage 1 filter { $0 > 3 } asks=") }, "\(rows)")
    let shown = try #require(answer("SHOW pub-e", reader).first)
    #expect(shown.hasSuffix("= pub-a.tryMap { $0.price }"))
    #expect(try answer("LIST pipelines", reader).contains("* pipeline pub-c = …"))
  }

  @Test("a subject's first value is shown to its readers only")
  func firstValue() throws {
    let (server, _) = try server()
    let sender = try client("sender", server)
    let rows = try answer("LIST subjects", sender)
    #expect(rows.contains("* subject pub-b current … flow=free"), "\(rows)")
    #expect(try answer("LIST", client("reader", server)).contains { $0.contains("current 88") })
  }

  @Test(
    "are in no failure",
    arguments: [
      "SUB pub-c 1", "SUB pub-f.map { $0 } 1", "SUB pub-d 1", "SUB pub-c.merge(with: pub-a) 1",
    ]
  )
  func failures(_ line: String) throws {
    let (server, root) = try server()
    let reader = try client("reader", server)
    try reader.say(line)
    _ = try root.ask("SEND secret 4711")
    _ = try root.ask("SEND pub-a 4711")
    let failure = try reader.rest { $0.hasPrefix("FAIL ") }.last
    #expect(failure == "FAIL 1 stage this token may not see the failure")
    let other = try client("root", server)
    try other.say(line)
    _ = try root.ask("SEND secret 4711")
    _ = try root.ask("SEND pub-a 4711")
    #expect(try other.rest { $0.hasPrefix("FAIL ") }.last?.contains("price") == true)
  }

  @Test(
    "are in no failure that is caught",
    arguments: [
      "catch { Just($0.message) }", "catch { Just($0) }.map { $0.message }",
      "retry(1).catch { Just($0.message) }", "share().catch { Just($0.message) }",
      "catch { Just($0.message) }.share()", "flatMap { Just($0) }.catch { Just($0.message) }",
      "mapError { $0.message }.catch { Just($0.message) }",
    ]
  )
  func caught(_ stages: String) throws {
    let (server, root) = try server()
    for (client, text) in [
      (try client("reader", server), "this token may not see the failure\""), (root, "price"),
    ] {
      try client.say("HELLO 1", "SUB pub-c.\(stages) 1")
      let value = try client.rest { $0.hasPrefix("= ") }.last ?? ""
      #expect(value.contains(text), "\(value)")
    }
  }

  @Test("of what may be read are in its failures")
  func ownFailures() throws {
    let (server, root) = try server()
    let reader = try client("reader", server)
    _ = try reader.ask("SUB pub-e 1")
    _ = try root.ask("SEND pub-a 4711")
    #expect(try reader.line().contains("4711"))
  }

  @Test(
    "an alias does not tell of what it is the alias of",
    arguments: ["FAIL secret x 4711", "DELETE secret"]
  )
  func aliases(_ line: String) throws {
    let (server, root) = try server()
    let reader = try client("reader", server)
    _ = try reader.ask("HELLO 1")
    _ = try reader.ask("SUB pub-g 1")
    _ = try root.ask(line)
    let failure = try reader.rest { $0.hasPrefix("FAIL ") }.last ?? ""
    #expect(
      failure.hasPrefix("FAIL 1 ") && failure.hasSuffix(" this token may not see the failure")
    )
  }

  @Test("a run that fails its subject passes on no text of what it has read", arguments: [1, 2])
  func passedOn(_ steps: Int) throws {
    let (server, root) = try server()
    _ = try root.ask("SUBJECT pub-t")
    _ = try root.ask("SUBJECT pub-u")
    _ = try root.ask("RUN pub-r = secret.tryMap { $0.price }.subscribe(pub-t)")
    if steps == 2 { _ = try root.ask("RUN pub-q = pub-t.map { $0 }.subscribe(pub-u)") }
    let reader = try client("reader", server)
    let last = steps == 2 ? "pub-u" : "pub-t"
    // The runs have failed at once: the subject keeps a number.
    #expect(
      try answer("SHOW \(last)", reader).contains("* completed failed stage …")
    )
    _ = try reader.ask("SUB \(last) 1")
    #expect(try reader.line() == "FAIL 1 stage this token may not see the failure")
    _ = try reader.ask("SUB \(last).map { $0 } 1")
    #expect(try reader.line() == "FAIL 2 stage this token may not see the failure")
  }

  @Test("the same definition again tells nobody that it is the same")
  func definitions() throws {
    let (server, root) = try server()
    let maker = try client("maker", server)
    #expect(
      try maker.ask("PIPELINE pub-c = secret.tryMap { $0.price }")
        == "ERR denied this token may not read secret"
    )
    #expect(
      try maker.ask("PIPELINE pub-c = secret.map { $0.other }")
        == "ERR denied this token may not read secret"
    )
    #expect(
      try maker.ask("PIPELINE pub-e = pub-a.tryMap { $0.price }") == "OK pipeline pub-e stages=2"
    )
    _ = try root.ask("RUN pub-x = pub-b.map { $0 }.assign(to: secret)")
    _ = try root.ask("RUN pub-y = secret.map { $0 }.assign(to: pub-a)")
    let circle = try maker.ask("RUN pub-z = pub-a.map { $0 }.assign(to: pub-b)")
    #expect(circle.hasPrefix("ERR cycle ") && !circle.contains("secret"), "\(circle)")
  }
}
