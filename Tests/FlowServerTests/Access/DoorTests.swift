import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

/// Two servers that differ only in things a restricted token may not read must give it the same answers, by
/// every command and page: the doors.
@Suite("Every command and page, with a restricted token")
struct DoorTests {
  /// The things that a restricted token may not read: names, texts, and the number of values.
  struct Secret: Sendable {
    /// Subjects: `source` is read by visible definitions, and a visible run sends to `target`.
    let source: String
    let target: String
    let pipeline: String
    let run: String
    let service: String
    /// The hidden stages behind the source.
    let stages: String
    let count: Int
    let more: [String]

    var names: [String] { [source, target, pipeline, run, service] }

    func fill(_ line: String) -> String {
      line.replacing("SOURCE", with: source).replacing("TARGET", with: target)
        .replacing("INNER", with: pipeline).replacing("HRUN", with: run)
        .replacing("SERVICE", with: service).replacing(".STAGES", with: stages)
    }

    func empty(_ text: String) -> String {
      zip(names, ["SOURCE", "TARGET", "INNER", "HRUN", "SERVICE"]).reduce(text) {
        $0.replacing($1.0, with: $1.1)
      }
    }
  }

  static let secrets = [
    Secret(
      source: "secret/x",
      target: "secret/t",
      pipeline: "hidden-p",
      run: "hidden-r",
      service: "hidden-s",
      stages: ".filter { $0 > 7 }",
      count: 3,
      more: []
    ),
    Secret(
      source: "mystery",
      target: "puzzle",
      pipeline: "other-p",
      run: "other-r",
      service: "other-s",
      stages: ".map { $0 + 2 }.map { $0 - 2 }.filter { $0 > 7 }.map { $0 }",
      count: 7,
      more: [
        "SUBJECT mystery-u current 5", "PIPELINE other-q = mystery-u.map { $0 }",
        "RUN other-z = mystery-u.map { fail(\"even\") }.assign(to: puzzle)",
      ]
    ),
  ]

  static let definitions = [
    "SUBJECT SOURCE", "SUBJECT TARGET", "SUBJECT pub-a", "SUBJECT pub-b current 1",
    "SUBJECT pub-l flow=slowest", "PIPELINE INNER = pub-l.map { $0 }",
    "PIPELINE pub-c = SOURCE.STAGES", "PIPELINE pub-d = pub-c.map { $0 }",
    "PIPELINE pub-g = SOURCE",
    "PIPELINE pub-e = pub-l.map { $0 }", "PIPELINE pub-h = pub-a.flatMap { ask(SERVICE, $0) }",
    "RUN pub-r = SOURCE.STAGES.assign(to: pub-a)",
    "RUN pub-s = pub-b.STAGES.assign(to: TARGET)",
    "RUN HRUN = pub-b.map { fail(\"odd\") }.assign(to: TARGET)",
  ]

  /// The streams of two other clients: the first has visible and hidden ones, the second only visible ones.
  static let streams = [
    [
      "HELLO 1 name=billing", "SUB pub-c max as=1", "SUB INNER 0 as=2",
      "SUB SOURCE.map { $0 } max as=3",
      "PUB SOURCE as=4", "SERVE SERVICE 1 as=5",
    ],
    [
      "HELLO 1", "SUB pub-e max as=1", "SUB pub-h max as=2", "SUB pub-d max as=3",
      "SUB pub-a.map { $0 } max as=4", "PUB pub-l over=hold as=5",
    ],
  ]

  static let visible = [
    "pub-a", "pub-b", "pub-c", "pub-d", "pub-e", "pub-g", "pub-h", "pub-l", "pub-r", "pub-s",
  ]

  /// Commands that name nothing hidden.
  static let doors =
    [
      "LIST", "LIST subjects", "LIST pipelines", "LIST runs", "LIST services", "LIST streams",
      "LIST streams pub-*", "LIST clients", "STATS pub-*", "WATCH", "WATCH filter=p", "SUB $events",
      "SUB $stats", "STATS $events", "KILL STREAM 1 2", "KILL STREAM 1 3", "KILL STREAM 1 4",
      "KILL STREAM 1 5", "KILL CLIENT 1", "SUB pub-c.map { $name } max",
      "SUB pub-g.map { $name } max",
      "SUB pub-d.flatMap { Just($name) } max", "SUB pub-g 1 durable=x", "SUB pub-c.map { $0 } 1",
      "PIPELINE pub-n = pub-c.map { $0 }", "PIPELINE pub-m = pub-a.merge(with: pub-c)",
      "PIPELINE pub-o = pub-c.map { $name }", "RUN pub-x = pub-c.map { $name }.assign(to: pub-a)",
      "RUN pub-y = pub-a.map { $0 }.assign(to: pub-b)", "EXPLAIN pub-c.map { $0 }",
      "EXPLAIN pub-a.flatMap { _ in pub-c }", "SUB pub-s 1", "SUB pub-r 1", "SUB pub-none 1",
    ]
    + visible.flatMap { name in
      ["SHOW", "EXPLAIN", "STATS", "WATCH", "TAP"].map { "\($0) \(name)" }
        + [0, 1, 4].map { "TAP \(name).\($0)" }
    } + ["WATCH pub-c stream=1.1", "WATCH pub-e stream=2.1"]

  /// Commands that name something hidden: the answer must be as if it did not exist.
  static let attempts = ["SOURCE", "TARGET", "INNER", "HRUN", "SERVICE", "nothing"].flatMap {
    name in
    [
      "SHOW", "EXPLAIN", "STATS", "WATCH", "TAP", "SUB", "PUB", "FEED", "SERVE", "DELETE", "DONE",
      "KILL NAME", "SUBJECT",
    ].map { "\($0) \(name)" }
      + ["SUB pub-a.merge(with: \(name)) 1", "SEND \(name) 1", "TAP \(name).0"]
  }

  static let pages =
    [
      "/v1/topology", "/v1/graph.dot", "/metrics", "/readyz", "/v1/try?expr=$events&ticks=3",
      "/v1/try?expr=pub-c&ticks=3",
      "/v1/try?expr=pub-a.map%20%7B%20$name%20%7D&ticks=3&in=pub-a%201",
      "/v1/try?expr=pub-q&ticks=3",
    ]
    + visible.flatMap { name in
      ["/v1/topology?name=\(name)", "/v1/graph.dot?name=\(name)", "/v1/try?expr=\(name)&ticks=3"]
    }

  static let tokens = [
    Token("root"), Token("reader", rights: .subscribe, pattern: "pub-*"),
    Token("sender", rights: .send, pattern: "pub-*"),
    Token("maker", rights: [.subscribe, .define, .publish], pattern: "pub-*,!pub-no-*"),
    Token("warden", rights: [.subscribe, .administer], pattern: "pub-*"),
  ]

  /// A server with a secret, and clients that ask it.
  private final class World {
    let secret: Secret
    let server: TestServer
    let port: UInt16
    private var clients: [TestClient] = []
    /// The connections for commands that open nothing, by token.
    private var shared: [String: TestClient] = [:]

    init(_ secret: Secret) throws {
      self.secret = secret
      var configuration = Configuration()
      configuration.tokens = DoorTests.tokens
      server = try TestServer(configuration)
      let address = try server.server.serveWeb(on: "127.0.0.1:0")
      port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
      let first = try (0..<DoorTests.streams.count).map { _ in try client("root") }
      for line in DoorTests.definitions + secret.more {
        let answer = try first[0].ask(secret.fill(line))
        #expect(answer.hasPrefix("OK "), "\(line): \(answer)")
      }
      for (client, lines) in zip(first, DoorTests.streams) {
        for line in lines { #expect(try client.ask(secret.fill(line)).hasPrefix("OK "), "\(line)") }
      }
      clients = first
      let root = try client("root")
      clients.append(root)
      // A scrape makes the server watch for long enough to have verdicts.
      _ = try page("/metrics", as: "root")
      for number in 1...secret.count {
        _ = try root.ask(secret.fill("SEND SOURCE \(number)"))
      }
      _ = try root.ask(secret.fill("SEND SOURCE 9"))
      _ = try root.ask("SEND pub-b 2")
      try first[1].say("= 5 held", "PING held")
      _ = try first[1].rest(until: "PONG held")
      for _ in 0..<240 { server.advance(seconds: 0.025) }
    }

    func client(_ token: String) throws -> TestClient {
      let client = try server.connect()
      _ = try client.ask("AUTH \(token)")
      return client
    }

    func ask(_ line: String, _ client: TestClient) throws -> String {
      try client.say(line)
      let rows = try client.rest {
        $0.hasPrefix("OK ") || $0.hasPrefix("ERR ") || $0.hasPrefix("BYE")
      }
      return rows.joined(separator: "\n")
    }

    /// Returns the answer and the lines after it; uses a new connection if the command may open something.
    func answer(_ line: String, as token: String) throws -> String {
      let opens = ["SUB ", "TAP", "PUB", "FEED", "SERVE", "RUN"].contains { line.hasPrefix($0) }
      guard opens else {
        let lasting = try shared[token] ?? self.client(token)
        shared[token] = lasting
        let answer = try ask(line, lasting)
        return try plain(([answer] + lasting.linesSoFar()).joined(separator: "\n"))
      }
      let client = try client(token)
      let answer = try ask(line, client)
      let isFeed = line.hasPrefix("FEED")
      let more = try isFeed ? [] : client.linesSoFar()
      // Everything that it has opened must be closed before the next command.
      try client.say(isFeed ? ".\nQUIT now" : "QUIT now")
      _ = try client.bytesToTheEnd()
      return plain(([answer] + more).joined(separator: "\n"))
    }

    func page(_ path: String, as token: String) throws -> String {
      let client = try TestClient(port: port)
      let head = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
      try client.send(Array("\(head)Connection: close\r\n\r\n".utf8))
      let all = String(decoding: try client.bytesToTheEnd(), as: UTF8.self)
      let parts = all.split(separator: "\r\n\r\n", maxSplits: 1)
      return "\(all.dropFirst(9).prefix(3)) \(plain(parts.count > 1 ? String(parts[1]) : ""))"
    }

    /// The first events of a page.
    func events(watching name: String, as token: String) throws -> String {
      let client = try TestClient(port: port)
      let head =
        "GET /events?watch=\(name) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)"
      try client.send(Array("\(head)\r\n\r\n".utf8))
      try server.wait(for: "a page") { $0.web.streamCount == 1 }
      for _ in 0..<8 { server.advance(seconds: 0.25) }
      var text = ""
      try Patience.wait(for: "two events") {
        text += String(decoding: client.bytesSoFar(), as: UTF8.self)
        return text.contains("event: sample") && text.hasSuffix("\n\n")
      }
      client.close()
      try server.wait(for: "the end of the page") { $0.web.streamCount == 0 }
      // The time of a sample is random, and a name has no rates before its second sample.
      return plain(text.split(separator: "event: ").dropFirst().prefix(2).joined())
        .replacing(/"(at|stalled)":\d+/, with: "").replacing(/for \d+ s/, with: "")
        .replacing(",null]", with: ",[0,0,0]]")
    }

    /// Returns `text` without random parts and without figures of the whole server.
    private func plain(_ text: String) -> String {
      text.replacing(/"started":\d+/, with: "").replacing(/"(time|rates)":\[[^\]]*\]/, with: "")
        .replacing(/"lasted":\d+/, with: "")
        .replacing(/"delivery":\{[^}]*\},?/, with: "").replacing(
          /"server":\{"conn[^}]*\},?/,
          with: ""
        )
        .replacing(/peer=\S+/, with: "").replacing(/unsent=\d+/, with: "")
        .split(separator: "\n").filter { line in
          !["flow_stage_state_seconds", "_delivery_seconds"].contains { line.contains($0) }
        }.joined(separator: "\n")
    }
  }

  private func compare(
    _ door: String,
    _ one: (answer: String, secret: Secret),
    _ other: (answer: String, secret: Secret),
    _ token: String
  ) {
    #expect(one.answer == other.answer, "\(door) with \(token)")
    for (answer, secret) in [one, other] {
      let hidden = secret.names + (token == "warden" ? [] : ["billing"])
      for name in hidden where answer.contains(name) {
        Issue.record("\(door) with \(token) tells of \(name): \(answer)")
      }
    }
  }

  @Test("no answer depends on hidden things", arguments: tokens.indices.dropFirst())
  func restricted(_ number: Int) throws {
    let token = ["root", "reader", "sender", "maker", "warden"][number]
    let worlds = try Self.secrets.map(World.init)
    func ask(_ door: String, _ body: (World) throws -> String) throws {
      let answers = try worlds.map(body)
      compare(door, (answers[0], worlds[0].secret), (answers[1], worlds[1].secret), token)
    }
    for door in Self.doors { try ask(door) { try $0.answer(door, as: token) } }
    for door in Self.attempts {
      try ask(door) { try $0.secret.empty($0.answer($0.secret.fill(door), as: token)) }
    }
    // With the right admin a token gets the metrics of the whole server, which count all names.
    for page in Self.pages where page != "/metrics" || token != "warden" {
      try ask(page) { try $0.page(page, as: token) }
    }
    for world in worlds {
      let answers = try [world.page("/metrics", as: token), world.answer("STATS", as: token)]
      for name in world.secret.names {
        #expect(!answers.joined().contains("\"\(name)\""), "/metrics or STATS shows \(name)")
      }
    }
    for name in ["pub-c", "pub-e", "pub-l"] {
      try ask("/events?watch=\(name)") { try $0.events(watching: name, as: token) }
    }
    try ask("/events?watch=SOURCE") { try $0.events(watching: $0.secret.source, as: token) }
    for world in worlds {
      let root = try world.client("root")
      let all = try world.ask("LIST streams", root)
      for name in [world.secret.pipeline, world.secret.source, world.secret.service] {
        #expect(all.contains("name=\(name)"), "the stream on \(name) was ended: \(all)")
      }
    }
  }

  @Test("a token that may read everything gets different answers")
  func unrestricted() throws {
    let worlds = try Self.secrets.map(World.init)
    let doors =
      ["LIST", "LIST streams", "STATS pub-c", "EXPLAIN pub-c.map { $0 }", "WATCH", "TAP pub-c.4"]
      + ["pub-c", "pub-g", "pub-h", "pub-r", "pub-s"].map { "SHOW \($0)" }
    for door in doors {
      let answers = try worlds.map { try $0.answer(door, as: "root") }
      #expect(answers[0] != answers[1], "\(door)")
    }
    let ready = try worlds.map { try $0.page("/readyz", as: "root") }
    #expect(
      ready == [
        "503 run hidden-r has failed", "503 run other-r has failed\nrun other-z has failed",
      ]
    )
    let reader = try worlds.map { try $0.page("/readyz", as: "reader") }
    #expect(reader == ["503 a run has failed", "503 a run has failed"])
  }
}
