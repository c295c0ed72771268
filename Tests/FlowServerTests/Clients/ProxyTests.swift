import FlowServerSupport
import FlowTestSupport
import Synchronization
import Testing

@testable import FlowServer

@Suite("Behind a proxy")
struct ProxyTests {
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ event: ServerLogEvent) { lines.withLock { $0.append("\(event)") } }

    func lines(containing text: String) -> [String] {
      lines.withLock { $0.filter { $0.contains(text) } }
    }
  }

  private let log = Log()
  private let server: TestServer
  private let port: UInt16

  init() throws {
    let tokens = try Token.all(
      in: "sesame all\ncert:alice sub,send lab-*\ncert:bu\u{308}ro all\n",
      file: "tokens"
    )
    (server, port) = try Self.make(tokens, log: log)
  }

  private static func make(
    _ tokens: [Token],
    log: Log,
    connections: Int = 100
  ) throws -> (TestServer, UInt16) {
    var configuration = Configuration()
    configuration.tokens = tokens
    configuration.connections.limit = connections
    let server = try TestServer(configuration, logLevel: .debug) { log.add($0) }
    let address = try server.server.listen(on: "127.0.0.1:0", behindProxy: true)
    return (server, try #require(address.split(separator: ":").last.flatMap { UInt16($0) }))
  }

  @Test("a client is known by the address that the proxy tells")
  func address() throws {
    let client = try TestClient(port: port)
    try client.send(Array((ProxyHello.line + "AUTH sesame\nLIST clients\n").utf8))
    #expect(try client.line().hasSuffix(" auth=token"))
    #expect(try client.line() == "OK auth")
    let rows = try client.rest { $0.hasPrefix("OK list") || $0.hasPrefix("END") }
    #expect(rows.contains { $0.contains(" peer=192.0.2.7:53211 ") }, "\(rows)")
    #expect(!log.lines(containing: "192.0.2.7:53211").isEmpty)
    #expect(try client.ask("AUTH wrong") == "ERR denied unknown token")
    #expect(!log.lines(containing: "failed AUTH from 192.0.2.7 ").isEmpty)
  }

  @Test("a header that comes byte by byte is as good, and nothing is said before it is whole")
  func slowly() throws {
    let client = try TestClient(port: port)
    for byte in ProxyHello.line.utf8 {
      #expect(client.bytesSoFar().isEmpty)
      try client.send([byte])
    }
    #expect(try client.line().hasPrefix("HI flow/"))
    #expect(try client.ask("PING 1") == "PONG 1")
  }

  @Test("a proxy that speaks for itself is a client like others")
  func itself() throws {
    let local: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10, 0x20, 0, 0, 0]
    for header in [local, Array("PROXY UNKNOWN\r\n".utf8)] {
      let client = try TestClient(port: port)
      try client.send(header)
      #expect(try client.line().hasPrefix("HI flow/"))
      #expect(try client.ask("PING 1") == "PONG 1")
    }
  }

  @Test("a wrong header, half of one and none within 5 s close the connection; the log says so")
  func wrong() throws {
    let wrong = try TestClient(port: port)
    try wrong.say("SUB orders")
    #expect(try wrong.rest() == [])
    #expect(!log.lines(containing: "PROXY header: the connection does not begin with one").isEmpty)
    server.advance(seconds: 2)
    let half = try TestClient(port: port)
    try half.send(Array("PROXY TCP4 1".utf8))
    half.endInput()
    #expect(try half.rest() == [])
    #expect(!log.lines(containing: "PROXY header: the connection ended within it").isEmpty)
    let silent = try TestClient(port: port)
    try silent.send(Array("PRO".utf8))
    let asker = try server.connect()
    try waitForUnannounced()
    server.advance(seconds: 4.9)
    #expect(silent.bytesSoFar().isEmpty)
    #expect(server.server.perform { $0.clients.countOfUnannounced } == 1)
    server.advance(seconds: 0.2)
    #expect(try silent.rest() == [])
    #expect(!log.lines(containing: "PROXY header: none came within 5 s").isEmpty)
    #expect(try asker.ask("PING x") == "PONG x")
  }

  @Test("many wrong ones are told of once a second, and silent ones that go are not told of")
  func rarely() throws {
    for _ in 0..<20 {
      let client = try TestClient(port: port)
      try client.say("x")
      #expect(try client.rest() == [])
    }
    #expect(log.lines(containing: "PROXY header").count == 1)
    let looker = try TestClient(port: port)
    looker.endInput()
    #expect(try looker.rest() == [])
    server.advance(seconds: 2)
    let last = try TestClient(port: port)
    try last.say("x")
    #expect(try last.rest() == [])
    let lines = log.lines(containing: "PROXY header")
    #expect(lines.count == 2)
    #expect(lines.last?.contains("; the last of 20") == true, "\(lines)")
  }

  @Test("those who have not been announced count as connections")
  func limit() throws {
    let (server, port) = try Self.make([], log: log, connections: 2)
    let waiting = try TestClient(port: port)
    try waiting.send(Array("PROXY ".utf8))
    let other = try TestClient(port: port)
    try other.send(Array(ProxyHello.line.utf8))
    #expect(try other.line().hasSuffix("auth=none"))
    let third = try TestClient(port: port)
    #expect(try third.line() == "BYE limit no more connections are accepted")
    _ = server
  }

  @Test("a verified certificate has the rights of its line; nobody can say its name instead")
  func certificate() throws {
    let alice = try TestClient(port: port)
    try alice.send(ProxyHello.header("alice") + Array("SUB lab-1 1\n".utf8))
    #expect(try alice.line().hasSuffix(" auth=none"))
    #expect(try alice.line().hasPrefix("ERR unknown-name"))
    #expect(try alice.ask("SUB other 1") == "ERR denied this token may not read other")
    #expect(try alice.ask("AUTH sesame") == "OK auth")
    #expect(try alice.ask("SUBJECT other").hasPrefix("OK subject other"))
    for header in [ProxyHello.header("alice", isVerified: false), ProxyHello.header("bob")] {
      let client = try TestClient(port: port)
      try client.send(header)
      #expect(try client.line().hasSuffix(" auth=token"))
      #expect(try client.ask("SUB lab-1").hasPrefix("ERR denied authenticate first"))
      for text in ["cert:alice", "alice"] {
        #expect(try client.ask("AUTH \(text)") == "ERR denied unknown token")
      }
    }
  }

  @Test(
    "a name has to have the very bytes of its line",
    arguments: [
      ("bu\u{308}ro", true), ("b\u{FC}ro", false), ("alice", true), ("Alice", false),
      ("alice\0", false), ("alice\nroot", false), (" alice", false), ("cert:alice", false),
    ]
  )
  func spelling(_ name: String, _ isKnown: Bool) throws {
    let client = try TestClient(port: port)
    try client.send(ProxyHello.header(name))
    #expect(try client.line().hasSuffix(isKnown ? " auth=none" : " auth=token"))
  }

  @Test("a line that goes ends the connections of its certificate")
  func revoked() throws {
    let alice = try TestClient(port: port)
    try alice.send(ProxyHello.header("alice"))
    _ = try alice.line()
    let same = try Token.all(in: "cert:alice sub,send lab-*\nnew all\n", file: "tokens")
    #expect(server.server.replaceTokens(same) == 0)
    #expect(try alice.ask("PING 1") == "PONG 1")
    // What is said is another token, though the text be the same.
    #expect(server.server.replaceTokens([Token("cert:alice")]) == 1)
    #expect(try alice.line().hasPrefix("BYE revoked"))
  }

  @Test("where no proxy is, a header is an unknown command")
  func plain() throws {
    let client = try server.connect()
    try client.send(Array(ProxyHello.line.utf8))
    #expect(try client.line().hasPrefix("ERR unknown-command"))
  }

  private func waitForUnannounced() throws {
    try server.wait(for: "a client without its header") { $0.clients.countOfUnannounced > 0 }
  }

  @Test("a server that goes leaves nobody who has said nothing yet")
  func stops() throws {
    let client = try TestClient(port: port)
    try client.send(Array("PROXY ".utf8))
    try waitForUnannounced()
    server.server.stop(drain: 0) {}
    #expect(try client.rest() == [])
  }
}
