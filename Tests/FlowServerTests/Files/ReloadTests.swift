import FlowFiles
import FlowServerSupport
import FlowTestSupport
import FlowSubjects
import Testing

@testable import FlowServer

@Suite("Files, read again")
struct ReloadTests {
  private static let shop = """
    SUBJECT orders
    SUBJECT revenue replay 10
    PIPELINE dear = orders.filter { $0 > 10 }
    RUN totals = dear.scan(0) { $0 + $1 }.assign(to: revenue)
    """

  /// A server that has read `text`, and a client of it.
  private func start(_ text: String = shop) throws -> (TestServer, TestClient) {
    let server = try TestServer()
    _ = try load(text, into: server)
    return (server, try server.connect())
  }

  private func load(_ text: String, into server: TestServer) throws -> [String] {
    try server.server.load(["shop.flow"]) { _ in text }
  }

  @Test("what is said again keeps its state, its streams and its sums")
  func unchanged() throws {
    let (server, client) = try start()
    try client.say("SUB dear 5", "SEND orders 20")
    #expect(
      try client.lines(3) == ["OK sub 1 dear demand=5", "= 1 20", "OK send orders to=2 missed=0"]
    )
    #expect(try load("# the same\n" + Self.shop, into: server) == ["unchanged: 4"])
    _ = try client.ask("SEND orders 30")
    try client.say("CANCEL 1", "TAKE revenue 2")
    #expect(try client.lines(6).suffix(3) == ["= 2 20", "= 2 50", "DONE 2"])
  }

  @Test("files that take long are checked in several turns")
  func turns() throws {
    var configuration = Configuration()
    configuration.pipelines.slice = 1
    let server = try TestServer(configuration)
    let lines = (0..<500).map { "PIPELINE p\($0) = a.map { $0 + \($0) }" }
    let before = server.server.perform { $0.counters.turns }
    let changes = try load("SUBJECT a\n" + lines.joined(separator: "\n"), into: server)
    #expect(changes.count == 1)
    #expect(server.server.perform { $0.counters.turns } > before + 100)
  }

  @Test("a changed pipeline is replaced, and who uses the old one goes on with it")
  func changedPipeline() throws {
    let (server, client) = try start()
    _ = try client.ask("SUB dear 5")
    let text = Self.shop.replacing("> 10", with: "> 100")
    #expect(try load(text, into: server) == ["changed totals, dear", "unchanged: 2"])
    try client.say("SUB dear 5", "SEND orders 20")
    #expect(
      try client.lines(3).contains("= 1 20") && client.linesSoFar().isEmpty,
      "the old stream gets it, the new one does not"
    )
    try client.say("SHOW dear")
    #expect(try client.line() == "* definition PIPELINE dear = orders.filter { $0 > 100 }")
  }

  @Test("a pipeline that inlines a changed one is changed, too")
  func inlined() throws {
    let text = "SUBJECT a\nPIPELINE b = a.map { $0 + 1 }\nPIPELINE c = b.map { $0 * 2 }"
    let (server, client) = try start(text)
    let changed = text.replacing("+ 1", with: "+ 2")
    #expect(try load(changed, into: server) == ["changed b, c", "unchanged: 1"])
    try client.say("SUB c 1", "SEND a 1")
    #expect(try client.lines(3).contains("= 1 6"))
  }

  @Test("the streams of a changed subject fail, and the runs that use it begin anew")
  func changedSubject() throws {
    let (server, client) = try start()
    _ = try client.ask("SUB orders 5")
    let text = Self.shop.replacing("SUBJECT orders", with: "SUBJECT orders flow=slowest")
    #expect(try load(text, into: server) == ["changed totals, orders", "unchanged: 2"])
    #expect(try client.line() == "FAIL 1 deleted subject orders was deleted")
    try client.say("LIST runs")
    #expect(try client.lines(2)[0].contains("state=running"))
    #expect(try client.ask("SEND orders 20") == "OK send orders to=1 missed=0")
  }

  @Test("what is no longer said is deleted, what a client has defined stays")
  func removed() throws {
    let (server, client) = try start()
    _ = try client.ask("SUBJECT mine")
    _ = try client.ask("SUB revenue 5")
    let text = "SUBJECT orders\nPIPELINE new = orders"
    #expect(
      try load(text, into: server)
        == ["made new", "deleted totals, revenue, dear", "unchanged: 1"]
    )
    #expect(try client.line() == "FAIL 1 deleted subject revenue was deleted")
    #expect(try client.ask("SUBJECT mine") == "OK subject mine passthrough flow=free")
    #expect(try client.ask("SHOW dear").hasPrefix("ERR unknown-name"))
  }

  @Test("a bad file changes nothing")
  func bad() throws {
    let (server, client) = try start()
    do {
      _ = try load("SUBJECT orders flow=slowest\nPIPELINE x = ordres", into: server)
      Issue.record("it was taken")
    } catch let error as ConfigurationError {
      #expect(error.reports.count == 1)
      #expect(error.description.hasPrefix("shop.flow:2:14: error: there is no subject or pipeline"))
    }
    #expect(try client.ask("SUBJECT orders") == "OK subject orders passthrough flow=free")
    #expect(try client.ask("SHOW dear").hasPrefix("* definition PIPELINE dear"))
  }

  @Test("what a client has defined otherwise is in the way, the same is taken over")
  func conflict() throws {
    let (server, client) = try start("SUBJECT a")
    _ = try client.ask("SUBJECT b")
    _ = try client.ask("SUBJECT c")
    #expect(throws: ConfigurationError.self) {
      try load("SUBJECT a\nSUBJECT b flow=slowest", into: server)
    }
    #expect(try load("SUBJECT a\nSUBJECT c", into: server) == ["unchanged: 2"])
    #expect(try load("SUBJECT a", into: server) == ["deleted c", "unchanged: 1"])
    _ = try client.ask("RUN back = b.subscribe(a)")
    #expect(throws: ConfigurationError.self) {
      try load("SUBJECT a\nSUBJECT b\nRUN forth = a.subscribe(b)", into: server)
    }
  }

  @Test("settings hold for what is opened from then on, and fall back when no longer set")
  func settings() throws {
    let (server, _) = try start("set line-limit 1KiB\nset value-limit 2KiB")
    func greeting() throws -> String { try TestClient(port: server.port).line() }
    #expect(try greeting().contains("maxline=1024 maxvalue=2048"))
    #expect(
      try load("set line-limit 2KiB", into: server)
        == ["settings apply to what is opened from now on"]
    )
    #expect(try greeting().contains("maxline=2048 maxvalue=1048576"))
  }

  @Test("new tokens are for all; who came when nobody was asked keeps what it has")
  func tokens() throws {
    let server = try TestServer()
    let first = try server.connect()
    server.server.replaceTokens([Token("old")])
    let early = try server.connect()
    #expect(try early.ask("AUTH old") == "OK auth")
    let waiting = try server.connect()
    #expect(server.server.replaceTokens([Token("new", rights: .subscribe)]) == 1)
    _ = try load("SUBJECT a", into: server)
    #expect(try first.ask("SEND a 1") == "OK send a to=0 missed=0")
    #expect(try early.rest().map { $0.prefix(12) } == ["BYE revoked "])
    #expect(try waiting.ask("AUTH old") == "ERR denied unknown token")
    #expect(try waiting.ask("AUTH new") == "OK auth")
    let late = try server.connect()
    #expect(try late.ask("AUTH old") == "ERR denied unknown token")
    #expect(try late.ask("AUTH new") == "OK auth")
    #expect(try late.ask("SEND a 1") == "ERR denied this token may not send to a")
  }

  @Test("every setting arrives")
  func everySetting() throws {
    let server = Server()
    for (key, read) in changes {
      let isTime = SettingKey(rawValue: key)?.unit == .time
      _ = try server.load(["x"]) { _ in "set \(key) 77\(isTime ? "ms" : "")" }
      let expected: Int64 = isTime ? 77_000_000 : 77
      #expect(read(Configuration()) != expected)
      #expect(read(server.perform { $0.configuration }) == expected, "\(key)")
    }
    let texts = ["nats", "nats-domain", "nats-prefix"]
    #expect(changes.map(\.0) + texts == SettingKey.allCases.map(\.rawValue))
  }

  @Test("the settings of NATS arrive, and are checked")
  func natsSettings() throws {
    let server = Server()
    _ = try server.load(["x"]) { _ in
      "set nats a:4222,[::1]:1\nset nats-domain hub\nset nats-prefix shop"
    }
    let configuration = server.perform { $0.configuration }
    #expect(configuration.nats.servers == ["a:4222", "[::1]:1"])
    #expect(configuration.nats.domain == "hub")
    #expect(configuration.nats.prefix == "shop")
    for line in [
      "nats a", "nats a:", "nats :1", "nats a:0", "nats a:65536", "nats a:1,", "nats-prefix a.b",
      "nats-domain $x",
    ] {
      #expect(throws: ConfigurationError.self, "\(line)") {
        try server.load(["x"]) { _ in "set \(line)" }
      }
    }
  }

  @Test("a subject in NATS needs one")
  func withoutNATS() throws {
    let server = try TestServer()
    let client = try server.connect()
    #expect(try client.ask("SUBJECT a on=nats").hasPrefix("ERR usage on=nats needs a NATS; "))
    #expect(throws: ConfigurationError.self) {
      try load("SUBJECT a on=nats", into: server)
    }
  }

  @Test("a file can read the server's own subjects, and not send to them")
  func ownSubjects() throws {
    let (server, client) = try start("SUBJECT a\nPIPELINE news = $events.map { $0.kind }")
    #expect(server.server.perform { $0.registry.own.map(\.name) } == Definitions.ownSubjects)
    #expect(try client.ask("SHOW news") == "* definition PIPELINE news = $events.map { $0.kind }")
    #expect(throws: ConfigurationError.self) {
      try load("SUBJECT a\nRUN x = a.subscribe($events)", into: server)
    }
  }

  private let changes: [(String, (Configuration) -> Int64)] = [
    ("line-limit", { Int64($0.lineLimit) }), ("value-limit", { Int64($0.valueLimit) }),
    ("stream-limit", { Int64($0.connections.streamLimit) }),
    ("connection-limit", { Int64($0.connections.limit) }), ("name-limit", { Int64($0.nameLimit) }),
    ("window", { Int64($0.demand.window) }), ("window-limit", { Int64($0.demand.windowLimit) }),
    ("output-limit", { Int64($0.connections.outputLimit) }),
    ("answer-limit", { Int64($0.connections.answerLimit) }), ("grant", { Int64($0.demand.grant) }),
    ("grant-limit", { Int64($0.demand.grantLimit) }),
    ("inbox-limit", { Int64($0.demand.inboxLimit) }),
    ("waiting-call-limit", { Int64($0.waitingCallLimit) }),
    ("replay-limit", { Int64($0.replayLimit) }),
    ("inner-publisher-limit", { Int64($0.pipelines.innerPublisherLimit) }),
    ("send-wait", { $0.timeouts.sendWait }), ("stall", { $0.timeouts.stall }),
    ("linger", { $0.timeouts.linger }), ("farewell", { $0.timeouts.farewell }),
    ("drain", { $0.timeouts.drain }), ("idle", { $0.timeouts.idle }),
    ("error-limit", { Int64($0.connections.errorLimit) }),
    ("wrong-token-limit", { Int64($0.wrongTokenLimit) }), ("handshake", { $0.timeouts.handshake }),
    ("memory", { Int64($0.memory) }),
    ("connection-hold-limit", { Int64($0.connections.holdLimit) }),
    ("hold-limit", { Int64($0.pipelines.holdLimit) }),
    ("subject-hold-limit", { Int64($0.subjectHoldLimit) }),
    ("nested-publisher-limit", { Int64($0.pipelines.nestedPublisherLimit) }),
    ("print-limit", { Int64($0.pipelines.printLimit) }), ("slice", { $0.pipelines.slice }),
  ]
}
