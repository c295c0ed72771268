import FlowHTTP
import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("WebSocket")
struct WebSocketTests {
  /// A server with a page, and a client whose handshake is done.
  private func connect(
    _ configuration: Configuration = Configuration()
  ) throws -> (TestServer, TestClient) {
    let server = try TestServer(configuration)
    let address = try server.server.serveWeb(on: "127.0.0.1:0")
    let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
    let client = try TestClient(port: port)
    try client.send(WebSocketTalk.request(host: "127.0.0.1:\(port)"))
    let answer = try client.rest(until: "\r")
    #expect(answer.first == "HTTP/1.1 101 Switching Protocols\r")
    #expect(answer.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r"))
    #expect(answer.contains("Sec-WebSocket-Protocol: flow.1\r"))
    return (server, client)
  }

  private func text(_ line: String) -> [UInt8] { WebSocketTalk.frame(1, line) }
  private func binary(_ bytes: String) -> [UInt8] { WebSocketTalk.frame(2, bytes) }

  @Test("a text is a line and a binary is what follows a head, in both directions")
  func bothDirections() throws {
    let (server, client) = try connect()
    defer { withExtendedLifetime(server) {} }
    try client.send(
      text("HELLO 1") + text("SUBJECT taps") + text("PUB taps as=9") + text("SUB taps 2 as=1")
        + text("= 9 one") + text(": 9 3") + binary("a\nb") + WebSocketTalk.frame(9, "!")
        + text("QUIT")
    )
    var said = try WebSocketTalk.messages(client)
    let greeting = try #require(said.firstIndex { $0.hasPrefix("HI flow/") })
    said.remove(at: greeting)
    // The ping is answered before the session has said anything.
    #expect(said.removeFirst() == "opcode 10 [33]")
    #expect(
      said == [
        "OK hello 1", "OK subject taps passthrough flow=free", "OK pub 9 taps demand=max",
        "OK sub 1 taps demand=2", "= 1 one", ": 1 3", "binary [97, 10, 98]", "OK quit",
        "BYE quit bye", "close 1000",
      ]
    )
  }

  @Test("a close frame is answered with its code, after what was said before")
  func closing() throws {
    let (server, client) = try connect()
    defer { withExtendedLifetime(server) {} }
    try client.send(text("PING") + WebSocketTalk.frame(8, "\u{0C}\u{00}"))
    #expect(try WebSocketTalk.messages(client).last == "close 3072")
  }

  @Test(
    "lines in one write with a close frame, or with what is refused, are answered before it",
    arguments: [
      ([WebSocketTalk.frame(8, "\u{0C}\u{00}")], 3072),
      ([WebSocketTalk.frame(1, "PING\nQUIT")], 1008),
      ([[0x81, 0xFE, 0, 4, 0, 0, 0, 0]], 1002),
    ]
  )
  func answersBeforeTheClose(_ last: [[UInt8]], _ code: Int) throws {
    let (server, client) = try connect()
    defer { withExtendedLifetime(server) {} }
    let lines = text("HELLO 1") + text("SUBJECT taps") + text("SUB taps 2 as=1")
    let values = text("SEND taps one") + text("NONSENSE") + text("PING last")
    try client.send(lines + values + last.flatMap(\.self))
    let said = try WebSocketTalk.messages(client).filter { !$0.hasPrefix("HI flow/") }
    #expect(
      said.map { $0.hasPrefix("ERR unknown-command ") ? "ERR" : $0 } == [
        "OK hello 1", "OK subject taps passthrough flow=free", "OK sub 1 taps demand=2", "= 1 one",
        "OK send taps to=1 missed=0", "ERR", "PONG last", "close \(code)",
      ]
    )
  }

  @Test("the end of a browser's input without a close frame is answered, too")
  func endWithoutCloseFrame() throws {
    let (server, client) = try connect()
    defer { withExtendedLifetime(server) {} }
    try client.send(text("PING a") + text("PING b"))
    client.endInput()
    #expect(try WebSocketTalk.messages(client).suffix(3) == ["PONG a", "PONG b", "close 1000"])
  }

  @Test("a session without HELLO ends with its WebSocket, too")
  func unframedEnd() throws {
    let (server, client) = try connect()
    try client.send(
      text("SUBJECT taps") + text("SUB taps max as=1") + WebSocketTalk.frame(8, "")
    )
    #expect(try WebSocketTalk.messages(client).last == "close 1000")
    try server.wait(for: "the end of the session") { $0.clients.count == 0 }
  }

  struct Refusal: Sendable {
    let frames: [[UInt8]]
    let code: Int
  }

  static let refusals = [
    Refusal(frames: [WebSocketTalk.frame(1, "PING\nQUIT")], code: 1008),
    Refusal(frames: [WebSocketTalk.frame(2, "PING")], code: 1008),
    Refusal(frames: [WebSocketTalk.frame(1, ": 1 3"), WebSocketTalk.frame(2, "four")], code: 1008),
    Refusal(
      frames: [
        WebSocketTalk.frame(1, ": 1 3"), WebSocketTalk.frame(1, "PING"),
        WebSocketTalk.frame(2, "abc"),
      ],
      code: 1008
    ),
    Refusal(frames: [WebSocketTalk.frame(1, ": 1 3"), WebSocketTalk.frame(1, "abc")], code: 1008),
    Refusal(frames: [WebSocketTalk.frame(1, ": 1 0"), WebSocketTalk.frame(1, "")], code: 1008),
    Refusal(
      frames: [WebSocketTalk.frame(1, ": 1 3"), WebSocketTalk.frame(1, ": 1 3")],
      code: 1008
    ),
    Refusal(
      frames: [
        WebSocketTalk.frame(1, ": 1 3"), WebSocketTalk.frame(2, "abc"),
        WebSocketTalk.frame(2, "abc"),
      ],
      code: 1008
    ),
    Refusal(frames: [[0x81, 0xFE, 0, 4, 0, 0, 0, 0] + Array("PING".utf8)], code: 1002),
    Refusal(frames: [WebSocketTalk.frame(3, "")], code: 1002),
  ]

  @Test("what could be taken for something else ends the connection", arguments: refusals)
  func refuses(_ refusal: Refusal) throws {
    let (server, client) = try connect()
    defer { withExtendedLifetime(server) {} }
    try client.send(refusal.frames.flatMap(\.self))
    #expect(try WebSocketTalk.messages(client).last == "close \(refusal.code)")
  }

  @Test("a text message instead of the announced binary one is refused")
  func unfinishedHead() throws {
    let (server, client) = try connect()
    defer { withExtendedLifetime(server) {} }
    try client.send(
      text("HELLO 1") + text("SUBJECT taps replay 9") + text("PUB taps as=9") + text(": 9 4")
        + text("PING")
    )
    #expect(try WebSocketTalk.messages(client).last == "close 1008")
    let other = try server.connect()
    #expect(try other.ask("SHOW taps").hasPrefix("* definition"))
    #expect(try other.line().contains(" published=0 "))
  }

  @Test("lines of a FEED that look like a head are values")
  func feed() throws {
    let (server, client) = try connect()
    defer { withExtendedLifetime(server) {} }
    try client.send(
      text("HELLO 1") + text("SUBJECT taps replay 9") + text("@t feed taps") + text(": 1 3")
        + text("FEED x") + text(".") + text("FEED") + text(": 1 3") + text(".")
        + text("TAKE taps 2 as=1") + text("QUIT")
    )
    let said = try WebSocketTalk.messages(client)
    #expect(said.contains("@t OK feed taps sent=2 missed=0 refused=0"), "\(said)")
    #expect(said.contains(": 1 6") || said.contains("= 1 : 1 3"), "\(said)")
    #expect(said.contains("= 1 FEED x") && said.last == "close 1000", "\(said)")
  }

  @Test("a server that stops says so, and that it goes away")
  func shutdown() throws {
    let (server, client) = try connect()
    server.server.stop(drain: 0) {}
    let said = try WebSocketTalk.messages(client)
    #expect(said.last == "close 1001")
    #expect(said.dropLast().last?.hasPrefix("BYE shutdown") == true)
  }

  @Test("what waits to become a message is held for the client")
  func heldBytes() throws {
    let (server, client) = try connect()
    let part: [UInt8] = [0x01, 0xFF, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]
    try client.send(part + [UInt8](repeating: 0x41, count: 400_000))
    try server.wait(for: "400,000 bytes held for the client") {
      $0.clients.all.reduce(0) { $0 + $1.bytes } >= 400_000
    }
  }
}
