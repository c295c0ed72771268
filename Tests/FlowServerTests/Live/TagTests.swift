import FlowServerSupport
import FlowTestSupport
import FlowWire
import Testing

@testable import FlowServer

@Suite("Tags")
struct TagTests {
  /// A client that has what the examples of the commands are about.
  private func client(of server: TestServer) throws -> TestClient {
    let client = try server.connect()
    for name in ["orders", "taps", "returns", "revenue"] { _ = try client.ask("SUBJECT \(name)") }
    return client
  }

  @Test(
    "stand before all rows and the answer of each command, typed and framed",
    arguments: Verb.allCases.filter { $0 != .tail },
    ["typed", "framed"]
  )
  func everyCommand(_ verb: Verb, _ mode: String) throws {
    guard mode == "typed" || verb != .hello else { return }
    let server = try TestServer()
    for example in verb.entry.examples {
      let client = try client(of: server)
      if mode == "framed" { _ = try client.ask("HELLO 1") }
      switch verb {
      case .request, .cancel:
        _ = try client.ask("SUB orders 1 as=1")
      case .done, .fail:
        _ = try client.ask("PUB orders as=1")
      default: break
      }
      try client.say("@t-1 \(example)")
      if verb == .feed { try client.say(".") }
      var lines = [try client.line()]
      while lines.last?.hasPrefix("@t-1 * ") ?? false { lines.append(try client.line()) }
      let notes = lines.filter { $0.hasPrefix("#") }
      #expect(mode == "typed" || notes.isEmpty)
      if !notes.isEmpty { lines = [try client.line()] }
      #expect(lines.allSatisfy { $0.hasPrefix("@t-1 ") }, "\(example): \(lines)")
      for name in ["orders", "taps", "returns", "revenue", "lamp", "log", "even"] {
        try client.say("DELETE \(name)")
      }
      client.reset()
    }
  }

  @Test("confirm signals after HELLO, which are quiet without")
  func signals() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT a")
    _ = try client.ask("SUB a as=1")
    _ = try client.ask("PUB a as=2")
    try client.say("REQ 1 5", "@r REQ 1 5", "@r2 REQ a 1", "@d DONE 2", "@d2 DONE 2", "@f FAIL 2 x")
    try client.say("@c CANCEL 1", "@r3 REQ 1 1")
    #expect(
      try client.lines(7) == [
        "@r OK req 1 demand=10", "@r2 OK req 1 demand=11", "@d OK done 2 to=0 missed=0 nobody=0",
        "@d2 OK done 2 ended",
        "@f OK fail 2 ended", "@c OK cancel 1 values=0 missed=0 undelivered=0",
        "@r3 OK req 1 ended",
      ]
    )
  }

  @Test("stay with answers that wait, the refused ones too")
  func heldAnswers() throws {
    let server = try TestServer()
    let client = try server.connect()
    let other = try server.connect()
    _ = try client.ask("SUBJECT a flow=slowest")
    try client.say("@1 SEND a x", "@2 PING", "SEND a y", "@4 SEND a z", "@5 FEED nosuch")
    try other.waitUntil(3, waitAt: "a")
    try other.say("TAKE a 1")
    #expect(try client.lines(2) == ["@1 OK send a to=1 missed=0", "@2 PONG"])
    server.advance(seconds: 5)
    #expect(
      try client.lines(3).map { $0.prefix(12) } == ["ERR no-deman", "@4 ERR no-de", "@5 ERR unkno"]
    )
  }

  @Test(
    "are echoed with every error, those of the line itself included",
    arguments: [
      ("@t nonsense", "@t ERR unknown-command "), ("@t SUB", "@t ERR usage "),
      ("@t SUB orders.fliter { $0 }", "@t ERR syntax "), ("@t SUB nosuch", "@t ERR unknown-name "),
      ("@t REQ 9 1", "@t ERR unknown-stream "), ("@t REQ x", "@t ERR usage "),
      ("@t SEND $x 1", "@t ERR denied "), ("@t", "@t ERR usage the line has a tag but no command"),
      ("@t = 1 x", "@t ERR usage a value frame must start its line"),
      ("@t PING \u{7f}", "@t PONG "),
      ("@A-z_0.9 PING", "@A-z_0.9 PONG"),
      ("@12345678901234567890123456789012 PING", "@12345678901234567890123456789012 PONG"),
      ("@123456789012345678901234567890123 PING", "ERR usage the tag is "),
      ("@ PING", "ERR usage the tag is "), ("@a! PING", "ERR usage the tag is "),
      ("@ä PING", "ERR usage the tag is "), ("@a@b PING", "ERR usage the tag is "),
    ],
    ["typed", "framed"]
  )
  func errors(_ example: (line: String, start: String), _ mode: String) throws {
    let server = try TestServer()
    let client = try client(of: server)
    if mode == "framed" { _ = try client.ask("HELLO 1") }
    let answer = try client.ask(example.line)
    #expect(answer.hasPrefix(example.start), "\(answer)")
  }

  @Test("a REQ that fails its stream is answered, too, if it has one")
  func badDemand() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT a")
    _ = try client.ask("SUB a 1")
    _ = try client.ask("SUB a 1")
    _ = try client.ask("SERVE work 1")
    _ = try client.line()
    try client.say("@r REQ 1 0", "REQ 2 -1", "@s REQ 3 0")
    #expect(
      try client.linesSoFar() == [
        "FAIL 1 bad-demand demand is 0, expected 1 or more", "@r OK req 1 ended",
        "FAIL 2 bad-demand demand is -1, expected 1 or more",
        "FAIL 3 bad-demand demand is 0, expected 1 or more", "@s OK req 3 ended",
      ]
    )
  }

  @Test(
    "stand before refusals of what was not read to its end; those of values and signals have @!",
    arguments: [
      ("= 1 ", 1 << 20, "@! ERR value-too-long "), ("SEND a ", 1 << 20, "ERR value-too-long "),
      ("@big SEND a ", 1 << 20, "@big ERR value-too-long "),
      (" @big  SEND  a ", 1 << 20, "@big ERR value-too-long "),
      ("PING ", 65_536, "ERR line-too-long "), ("@l PING ", 65_536, "@l ERR line-too-long "),
      ("REQ 1 ", 65_536, "@! ERR line-too-long "), ("@r REQ 1 ", 65_536, "@r ERR line-too-long "),
      ("=2 ", 1, "@! ERR usage "), (" = 2 ", 1, "@! ERR usage "), ("= x ", 1, "@! ERR usage "),
      (": x 1\n", 0, "@! ERR usage "), (": 1 1048577\n", 1 << 20, "@! ERR value-too-long "),
    ]
  )
  func unread(_ start: String, _ count: Int, _ refusal: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT a")
    _ = try client.ask("PUB a as=1")
    try client.say(start + String(repeating: "x", count: count + 1), "PING")
    let lines = try client.lines(2)
    #expect(lines[0].hasPrefix(refusal), "\(lines)")
    #expect(lines[1] == "PONG")
  }
}
