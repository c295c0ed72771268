import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("AUTH")
struct AccessTests {
  private func server() throws -> TestServer {
    var configuration = Configuration()
    configuration.tokens = [
      Token("root"),
      Token("reader", rights: .subscribe, pattern: "pub-*"),
      Token("sensor", rights: .publish, pattern: "pub-a"),
      Token("maker", rights: [.define, .subscribe, .publish], pattern: "own-*"),
    ]
    let server = try TestServer(configuration)
    let root = try server.connect()
    _ = try root.ask("AUTH root")
    for name in ["pub-a", "pub-b", "secret"] { _ = try root.ask("SUBJECT \(name)") }
    _ = try root.ask("PIPELINE pub-c = secret.map { $0 }")
    return server
  }

  @Test(
    "what happens to all is told to those who may see all",
    arguments: [
      "SUB $events 1", "SUB $stats 1", "TAKE $events.map { $0.client } 1", "SHOW $events",
      "STATS $stats",
    ]
  )
  func ownSubjects(_ line: String) throws {
    let server = try server()
    let reader = try server.connect()
    _ = try reader.ask("AUTH reader")
    #expect(try reader.ask(line).hasPrefix("ERR denied this token may not read $"))
    let root = try server.connect()
    _ = try root.ask("AUTH root")
    #expect(try !root.ask(line).hasPrefix("ERR"))
  }

  @Test("print is a right of its own; who reads a pipeline by its name needs none")
  func printing() throws {
    var configuration = Configuration()
    configuration.tokens = [
      Token("root"), Token("reader", rights: [.subscribe, .define, .publish]),
      Token("printer", rights: [.subscribe, .print]),
    ]
    let server = try TestServer(configuration)
    let (root, reader) = (try server.connect(), try server.connect())
    let printer = try server.connect()
    for (client, token) in [(root, "root"), (reader, "reader"), (printer, "printer")] {
      #expect(try client.ask("AUTH \(token)") == "OK auth")
    }
    _ = try root.ask("SUBJECT a")
    #expect(try root.ask("PIPELINE p = a.print(\"p\")") == "OK pipeline p stages=2")
    for line in [
      "SUB a.print(\"x\") 1", "TAKE Just(1).print() 1", "PIPELINE q = p.print(\"x\")",
      "SUB a.flatMap { Just($0).print(\"x\") } 1", "RUN r = a.print().subscribe(a)",
    ] {
      #expect(
        try reader.ask(line) == "ERR denied this token may not write to the server's log",
        "\(line)"
      )
    }
    #expect(try reader.ask("SUB p 1") == "OK sub 1 p demand=1")
    #expect(try printer.ask("SUB a.print(\"x\") 1") == "OK sub 1 - demand=1")
  }

  @Test("the greeting says whether a token is needed")
  func greeting() throws {
    let closed = try server()
    #expect(try TestClient(port: closed.port).line().hasSuffix(" auth=token"))
    let open = try TestServer()
    #expect(try TestClient(port: open.port).line().hasSuffix(" auth=none"))
    let client = try open.connect()
    #expect(try client.ask("AUTH whatever") == "OK auth")
    #expect(try client.ask("SUBJECT a") == "OK subject a passthrough flow=free")
  }

  @Test(
    "before it nothing is taken but HELLO, PING, HELP and QUIT",
    arguments: [
      "SUBJECT x", "PIPELINE x = Just(1)", "RUN x = Just(1).subscribe(pub-a)", "DELETE pub-a",
      "LIST", "LIST clients", "SHOW pub-a", "EXPLAIN pub-a", "STATS", "SEND pub-a 1",
      "@t SEND pub-a 1", "SEND nosuch 1", "DONE pub-a", "FAIL pub-a x", "SUB pub-a 1", "SUB nosuch",
      "TAKE pub-a 1", "PUB pub-a", "FEED pub-a", "SERVE x", "REQ 1 1", "CANCEL 1", "DONE 1",
      "= 1 x", "= 1.1 x", "DONE 1.1", "CANCEL 1.1", "TAIL pub-a",
    ],
    ["typed", "framed"]
  )
  func denied(_ line: String, _ mode: String) throws {
    let server = try server()
    let client = try server.connect()
    if mode == "framed" { #expect(try client.ask("HELLO 1") == "OK hello 1") }
    let answer = try client.ask(line)
    #expect(answer.hasSuffix("ERR denied authenticate first: AUTH TOKEN"), "\(answer)")
    if line.hasPrefix("FEED") {
      try client.say("STATS", ".")
      if mode == "typed" { _ = try client.lines(2) }
    }
    if line.hasPrefix("TAIL") {
      #expect(try client.rest() == [])
    } else {
      #expect(try client.ask("PING") == "PONG")
      #expect(try client.ask("AUTH root") == "OK auth")
      #expect(try client.ask("SEND pub-a 1") == "OK send pub-a to=0 missed=0")
    }
  }

  @Test("three wrong tokens end the connection, and no answer repeats one")
  func wrongTokens() throws {
    let server = try server()
    let client = try server.connect()
    #expect(try client.ask("AUTH guess").hasPrefix("ERR denied unknown token"))
    #expect(try client.ask("@2 AUTH roo") == "@2 ERR denied unknown token")
    #expect(try client.ask("AUTH").hasPrefix("ERR usage token is missing; "))
    let usage = try client.ask("AUTH hush hush2")
    #expect(usage.hasPrefix("ERR usage a token cannot contain spaces; ") && !usage.contains("hush"))
    try client.say("AUTH roots")
    #expect(
      try client.rest() == ["ERR denied unknown token", "BYE auth 3 unknown tokens"]
    )
    let other = try server.connect()
    _ = try other.ask("AUTH guess")
    #expect(try other.ask("AUTH root") == "OK auth")
    #expect(try other.ask("AUTH guess").hasPrefix("ERR denied "))
    #expect(try other.ask("SUBJECT y") == "OK subject y passthrough flow=free")
  }

  @Test("who says no token is sent away after ten seconds, others stay")
  func handshake() throws {
    let server = try server()
    let silent = try server.connect()
    let client = try server.connect()
    _ = try client.ask("AUTH reader")
    server.advance(seconds: 9.9)
    #expect(try silent.ask("PING") == "PONG")
    server.advance(seconds: 0.2)
    #expect(try silent.rest() == ["BYE auth no valid AUTH within 10 s"])
    #expect(try client.ask("PING") == "PONG")
  }

  @Test(
    "a token is good for its rights and its names",
    arguments: [
      ("reader", "SUB pub-a", "OK sub 1 pub-a demand=0"),
      ("reader", "SUB pub-c", "OK sub 1 pub-c demand=0"),
      ("reader", "SUB pub-a.map { $0 }.merge(with: pub-b)", "OK sub 1 - demand=0"),
      ("reader", "TAKE [1].publisher 1", "OK take 1 - demand=1"),
      ("reader", "EXPLAIN pub-b", "* "), ("reader", "SHOW pub-b", "* "),
      ("reader", "SUB secret", "ERR denied this token may not read secret"),
      ("reader", "SUB pub-a.merge(with: secret)", "ERR denied this token may not read secret"),
      ("reader", "TAIL secret", "ERR denied this token may not read secret"),
      ("reader", "EXPLAIN secret", "ERR denied this token may not read secret"),
      ("reader", "SHOW secret", "ERR denied this token may not read secret"),
      ("reader", "STATS secret", "ERR denied this token may not read secret"),
      ("reader", "SEND pub-a 1", "ERR denied this token may not send to pub-a"),
      ("reader", "PUB pub-a", "ERR denied this token may not send to pub-a"),
      ("reader", "FEED pub-a", "ERR denied this token may not send to pub-a"),
      ("reader", "DONE pub-a", "ERR denied this token may not complete pub-a"),
      ("reader", "FAIL pub-a x", "ERR denied this token may not complete pub-a"),
      ("reader", "SUBJECT pub-x", "ERR denied this token may not define or delete pub-x"),
      ("reader", "DELETE pub-a", "ERR denied this token may not define or delete pub-a"),
      ("reader", "LIST clients", "ERR denied this token may not see all clients"),
      ("reader", "LIST streams", "ERR denied this token may not see all clients"),
      ("reader", "STATS", "ERR denied this token may not see the server's statistics"),
      ("sensor", "SEND pub-a 1", "OK send pub-a to=0 missed=0"),
      ("sensor", "PUB pub-a", "OK pub 1 pub-a demand=max"),
      ("sensor", "SEND pub-b 1", "ERR denied this token may not send to pub-b"),
      ("sensor", "SERVE pub-a", "OK serve 1 pub-a demand=0"),
      ("sensor", "SERVE pub-b", "ERR denied this token may not serve pub-b"),
      ("reader", "SERVE pub-b", "ERR denied this token may not serve pub-b"),
      ("reader", "SUB ask(pub-b, 1)", "ERR denied this token may not ask pub-b"),
      ("reader", "TAKE pub-a.flatMap { ask(x, $0) } 1", "ERR denied this token may not ask x"),
      ("maker", "SUB ask(own-x, 1)", "OK sub 1 - demand=0"),
      ("maker", "PIPELINE own-y = ask(x, 1)", "ERR denied this token may not ask x"),
      ("maker", "RUN own-r = ask(x, 1).subscribe(own-x)", "ERR "),
      ("sensor", "SUB pub-a", "ERR denied this token may not subscribe"),
      ("sensor", "SUB [1].publisher", "ERR denied this token may not subscribe"),
      ("maker", "SUBJECT own-x", "OK subject own-x passthrough flow=free"),
      ("maker", "SUBJECT own", "ERR denied this token may not define or delete own"),
      ("maker", "PIPELINE own-y = own-z.map { $0 }", "ERR syntax "),
      ("maker", "PIPELINE own-y = secret.map { $0 }", "ERR denied this token may not read secret"),
      ("maker", "RUN own-r = Just(1).subscribe(pub-a)", "ERR denied this token may not send to "),
      ("root", "LIST clients", "* "), ("root", "SEND $x 1", "ERR denied "),
      ("root", "SUBJECT $x", "ERR denied "), ("root", "DELETE $x", "ERR denied "),
      ("root", "PUB $x", "ERR denied "), ("root", "DONE $x", "ERR denied "),
    ]
  )
  func rights(_ token: String, _ line: String, _ start: String) throws {
    let server = try server()
    let client = try server.connect()
    _ = try client.ask("AUTH \(token)")
    let answer = try client.ask(line)
    #expect(answer.hasPrefix(start), "\(answer)")
  }

  @Test("LIST shows the names that a token is good for")
  func list() throws {
    let server = try server()
    let client = try server.connect()
    _ = try client.ask("AUTH sensor")
    try client.say("LIST")
    let lines = try client.lines(2)
    #expect(lines[0].hasPrefix("* subject pub-a ") && lines[1] == "OK list 1")
  }

  @Test("another token changes what the next SEND may do")
  func change() throws {
    let server = try server()
    let client = try server.connect()
    _ = try client.ask("AUTH sensor")
    #expect(try client.ask("SEND pub-a 1") == "OK send pub-a to=0 missed=0")
    #expect(try client.ask("AUTH reader") == "OK auth")
    #expect(try client.ask("SEND pub-a 1").hasPrefix("ERR denied "))
  }
}

@Suite("Token files")
struct TokenFileTests {
  private static let expected = "expected a name, or a pattern such as lab-* or lab/**"

  @Test("have a token, its rights and the names it is good for on each line")
  func tokens() throws {
    let tokens = try Token.all(
      in: "# who\ts what\n\nabc sub,pub orders-*\r\ndef\tall\nghi define,admin x\n",
      file: "tokens"
    )
    #expect(
      tokens.map(\.description) == [
        "Token(sub,pub orders-*)", "Token(sub,pub,define,print,admin **)", "Token(define,admin x)",
      ]
    )
    #expect(tokens[0].isSecret("abc") && !tokens[0].isSecret("abd") && !tokens[0].isSecret("ab"))
    #expect(tokens[0].covers("orders-1") && !tokens[0].covers("orders"))
    #expect(tokens[1].covers("anything"))
    #expect(tokens[2].covers("x") && !tokens[2].covers("xy"))
  }

  @Test("may deny some names of many")
  func denials() throws {
    let token = try #require(
      try Token.all(in: "abc sub,send,ask !lab-secret-*,lab-*,x,!lab-7\n", file: "t").first
    )
    #expect(token.description == "Token(sub,send,ask !lab-secret-*,lab-*,x,!lab-7)")
    for name in ["lab-1", "lab-", "x", "lab-secret", "lab-77"] { #expect(token.covers(name)) }
    for name in ["lab-secret-", "lab-secret-1", "lab-7", "xy", "lab", "y", ""] {
      #expect(!token.covers(name))
    }
  }

  @Test("may have the SHA-256 digest of a token in its place")
  func digests() throws {
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    for start in ["sha256", "SHA256", "Sha256"] {
      let tokens = try Token.all(in: "\(start):\(digest) sub\n", file: "t")
      #expect(tokens.first?.isSecret("abc") == true)
      #expect(tokens.first?.isSecret("\(start):\(digest)") == false)
      #expect(tokens.first?.isSecret(digest) == false)
    }
  }

  @Test("without tokens are a mistake, unless a line says that it is none")
  func empty() throws {
    #expect(try Token.all(in: "\n# empty\n", file: "t").isEmpty)
    #expect(try Token.all(in: "#\tempty ", file: "t").isEmpty)
    #expect(throws: ConfigurationError.self) { try Token.all(in: "# emptied\n", file: "t") }
  }

  @Test(
    "say what is wrong with them, and where, but never a token",
    arguments: [
      (
        "",
        "t: has no token, expected TOKEN RIGHTS [PATTERNS]; if it is empty on purpose, write \"# empty\""
      ),
      (
        "# x\n\n",
        "t: has no token, expected TOKEN RIGHTS [PATTERNS]; if it is empty on purpose, write \"# empty\""
      ),
      ("hush\n", "t:1: expected 2 or 3 fields (TOKEN RIGHTS [PATTERNS]), found 1"),
      ("hush sub\n# x\nhush pub\n", "t:3: repeats the token of line 1"),
      ("\nhush all * x", "t:2: expected 2 or 3 fields (TOKEN RIGHTS [PATTERNS]), found 4"),
      (
        "hush pud",
        "t:1: unknown right; expected sub, hold, pub, send, complete, ask, serve, define, print, admin, all; did you mean pub?"
      ),
      (
        "all hush",
        "t:1: unknown right; expected sub, hold, pub, send, complete, ask, serve, define, print, admin, all"
      ),
      (
        "hush sub,",
        "t:1: unknown right; expected sub, hold, pub, send, complete, ask, serve, define, print, admin, all"
      ),
      ("hush sub a//b", "t:1: pattern \"a//b\": \(Self.expected)"),
      ("hush sub 5a*", "t:1: pattern \"5a*\": \(Self.expected)"),
      ("hush sub a$b", "t:1: pattern \"a$b\": \(Self.expected)"),
      ("hush sub a,", "t:1: pattern \"\": \(Self.expected)"),
      ("hush sub a,!", "t:1: pattern \"!\": \(Self.expected)"),
      ("hush sub !a,!b*", "t:1: the patterns \"!a,!b*\" only exclude names; write **,!a,!b*"),
      (
        "sha256:hush sub",
        "t:1: expected 64 hexadecimal digits after sha256:, as sha256sum prints them"
      ),
    ]
  )
  func refusals(_ text: String, _ message: String) {
    let error = #expect(throws: ConfigurationError.self) { try Token.all(in: text, file: "t") }
    #expect(error?.description == message)
  }

  @Test("a token shows its secret in no description or dump")
  func hidden() {
    var configuration = Configuration()
    configuration.tokens = [Token("hush")]
    var text = "\(configuration) \(configuration.tokens)"
    dump(configuration, to: &text)
    #expect(text.contains("Token(sub,pub,define,print,admin **)"))
    #expect(!text.contains("hush") && !text.contains("secret"))
  }
}
