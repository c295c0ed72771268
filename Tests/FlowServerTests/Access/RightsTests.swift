import FlowServerSupport
import FlowTestSupport
import FlowWire
import Testing

@testable import FlowServer

/// Every command with every right, for names inside and outside of the patterns.
@Suite("Rights")
struct RightsTests {
  /// A line, and what a token must be good for so that it is not denied.
  struct Use: Sendable {
    var line: String
    var rights: Token.Rights = []
    /// Whether the rights must be there for the name in it.
    var isNamed = true
  }

  /// The ways of using `name` in a command; a new command has to say its own.
  static func uses(of verb: Verb, _ name: String) -> [Use] {
    switch verb {
    case .hello: [Use(line: "HELLO 1", isNamed: false)]
    case .auth: [Use(line: "AUTH root", isNamed: false)]
    case .ping: [Use(line: "PING", isNamed: false)]
    case .help: [Use(line: "HELP", isNamed: false)]
    case .quit: [Use(line: "QUIT", isNamed: false)]
    case .subject: [Use(line: "SUBJECT \(name)", rights: .define)]
    case .pipeline:
      [
        Use(line: "PIPELINE lab-new = \(name)", rights: [.define, .subscribe]),
        Use(line: "PIPELINE lab-new = lab-1.merge(with: \(name))", rights: [.define, .subscribe]),
        Use(line: "PIPELINE \(name) = Just(1)", rights: [.define, .subscribe]),
        Use(line: "PIPELINE lab-new = ask(\(name), 1)", rights: [.define, .subscribe, .ask]),
      ]
    case .run:
      [
        Use(
          line: "RUN lab-new = Just(1).assign(to: \(name))",
          rights: [.define, .subscribe, .send]
        ),
        Use(
          line: "RUN lab-new = Just(1).subscribe(\(name))",
          // Of a subject that is not there nothing more is asked for.
          rights: name == "lab-none"
            ? [.define, .subscribe, .send] : [.define, .subscribe, .send, .complete]
        ),
        Use(line: "RUN lab-new = \(name).assign(to: lab-2)", rights: [.define, .subscribe, .send]),
        Use(
          line: "RUN lab-new = ask(\(name), 1).assign(to: lab-2)",
          rights: [.define, .subscribe, .send, .ask]
        ),
        Use(line: "RUN \(name) = Just(1).assign(to: lab-2)", rights: [.define, .subscribe, .send]),
      ]
    case .delete: [Use(line: "DELETE \(name)", rights: .define)]
    case .list:
      [Use(line: "LIST", isNamed: false)]
        + ["streams", "clients"].map {
          Use(line: "LIST \($0)", rights: .administer, isNamed: false)
        }
    case .show: [Use(line: "SHOW \(name)", rights: .subscribe)]
    case .explain:
      [
        Use(line: "EXPLAIN \(name)", rights: .subscribe),
        Use(line: "EXPLAIN \(name).map { $0 }", rights: .subscribe),
      ]
    case .stats:
      [
        Use(line: "STATS \(name)", rights: .subscribe),
        Use(line: "STATS", rights: .administer, isNamed: false),
      ]
    case .watch:
      [
        Use(line: "WATCH \(name)", rights: .subscribe),
        Use(line: "WATCH \(name) known=1 stream=1.1", rights: .subscribe),
        Use(line: "WATCH", isNamed: false),
      ]
    case .kill:
      [
        Use(line: "KILL CLIENT 99", rights: .administer, isNamed: false),
        Use(line: "KILL STREAM 1 1", rights: .administer, isNamed: false),
        Use(line: "KILL NAME \(name)", rights: .administer),
      ]
    case .send:
      [
        Use(line: "SEND \(name) 1", rights: .send), Use(line: "send  \(name) 1", rights: .send),
        Use(line: "@t SEND \(name) 1", rights: .send),
      ]
    case .done: [Use(line: "DONE \(name)", rights: .complete)]
    case .fail: [Use(line: "FAIL \(name) code text", rights: .complete)]
    case .subscribe:
      [
        "\(name)", "\(name).map { $0 }", "lab-1.merge(with: \(name))",
        "Just(1).flatMap { $0 == 2 ? \(name) : lab-1 }", "lab-1.zip(\(name)).count()",
      ].map { Use(line: "SUB \($0)", rights: .subscribe) }
        + [Use(line: "SUB lab-1.flatMap { ask(\(name), $0) }", rights: [.subscribe, .ask])]
    case .take: [Use(line: "TAKE \(name) 1", rights: .subscribe)]
    case .tail: [Use(line: "TAIL \(name)", rights: .subscribe)]
    case .tap: [Use(line: "TAP \(name) 1", rights: .subscribe)]
    case .publish:
      [
        Use(line: "PUB \(name)", rights: .send),
        Use(line: "PUB \(name) owner=yes", rights: [.send, .complete]),
      ]
    case .feed: [Use(line: "FEED \(name)", rights: .send)]
    case .serve: [Use(line: "SERVE \(name)", rights: .serve)]
    case .request: [Use(line: "REQ \(name) 1", isNamed: false)]
    case .cancel: [Use(line: "CANCEL \(name)", isNamed: false)]
    }
  }

  static let patterns = "lab-*,!lab-secret-*"
  static let inside = ["lab-1", "lab-none"]
  /// Each that is there, and one beside it that is not.
  static let outside = [
    ("office", "nobody"), ("lab-secret-1", "lab-secret-2"), ("lab", "labs"),
  ]
  static let rights: [Token.Rights] = [
    [], .subscribe, .send, .complete, .ask, .serve, .define, .administer, .publish,
    [.subscribe, .ask], [.send, .complete], [.define, .subscribe], [.define, .subscribe, .send],
    [.define, .subscribe, .send, .complete], [.define, .subscribe, .ask],
    [.define, .subscribe, .send, .ask], .all,
  ]

  /// Each command with each of the rights.
  static let combinations: [(Verb, Token.Rights)] = Verb.allCases.enumerated().flatMap {
    number,
    verb in
    RandomCases.selection(of: rights, from: number).map { (verb, $0) }
  }

  @Test("are asked for by every command, for each name", arguments: combinations)
  func matrix(_ verb: Verb, _ rights: Token.Rights) throws {
    let server = try makeServer(rights)
    let root = try server.connect()
    _ = try root.ask("AUTH root")
    for name in Self.inside {
      for use in Self.uses(of: verb, name) {
        let answer = try answer(to: use.line, server, root)
        #expect(
          isDenied(answer) == !rights.isSuperset(of: use.rights),
          "\(use.line) with \(rights.text): \(answer)"
        )
      }
    }
    for (name, absent) in Self.outside {
      for (use, other) in zip(Self.uses(of: verb, name), Self.uses(of: verb, absent)) {
        let answer = try answer(to: use.line, server, root)
        let isAllowed = !use.isNamed && rights.isSuperset(of: use.rights)
        #expect(isDenied(answer) == !isAllowed, "\(use.line) with \(rights.text): \(answer)")
        guard use.isNamed else { continue }
        let unknown = try self.answer(to: other.line, server, root)
        #expect(unknown.replacing(absent, with: name) == answer, "\(other.line)")
      }
    }
  }

  private func makeServer(_ rights: Token.Rights) throws -> TestServer {
    var configuration = Configuration()
    configuration.tokens = [
      Token("root"), Token("some", rights: rights, pattern: Self.patterns),
    ]
    return try TestServer(configuration)
  }

  /// The first line of the answer, after `root` has made the names anew.
  private func answer(
    to line: String,
    _ server: TestServer,
    _ root: TestClient
  ) throws -> String {
    let absent = ["lab-new"] + Self.inside + Self.outside.map(\.1)
    let present = ["lab-1", "lab-2"] + Self.outside.map(\.0)
    let lines =
      (absent + present).map { "DELETE \($0)" } + present.map { "SUBJECT \($0) current 7" }
    try root.say(lines.joined(separator: "\n"), "PING anew")
    _ = try root.rest(until: "PONG anew")
    let client = try server.connect()
    _ = try client.ask("AUTH some")
    return try client.ask(line)
  }

  private func isDenied(_ answer: String) -> Bool {
    answer.hasPrefix("ERR denied ") || answer.hasPrefix("@t ERR denied ")
  }

  @Test("no suggestion names what is outside of the patterns")
  func suggestions() throws {
    let server = try makeServer(.all)
    let root = try server.connect()
    _ = try root.ask("AUTH root")
    for name in ["lab-secret-orders", "lab-orders", "lab_orders1"] {
      _ = try root.ask("SUBJECT \(name)")
    }
    let client = try server.connect()
    _ = try client.ask("AUTH some")
    _ = try client.ask("HELLO 1")
    for line in ["SUB lab-order", "SEND lab-order 1", "SHOW lab-order"] {
      #expect(try client.ask(line).contains("lab-orders"), "\(line)")
    }
    let lines = [
      "SUB lab-secre-orders", "SEND lab-secre-orders 1", "DELETE lab-secre-orders",
      "STATS lab-secre-orders", "SUB lab-secre-orders.map { $0 }", "SHOW lab-orders2",
      "RUN lab-r = Just(1).subscribe(lab-secre-orders)",
    ]
    for line in lines {
      let answer = try client.ask(line)
      #expect(!answer.contains("lab-secret") && !answer.contains("lab_"), "\(answer)")
    }
  }
}
