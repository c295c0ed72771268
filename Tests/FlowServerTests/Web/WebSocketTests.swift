import FlowHTTP
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
    let head = [
      "GET /flow HTTP/1.1", "Host: 127.0.0.1:\(port)", "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Protocol: flow.1", "", "",
    ]
    try client.send(Array(head.joined(separator: "\r\n").utf8))
    let answer = try client.rest(until: "\r")
    #expect(answer.first == "HTTP/1.1 101 Switching Protocols\r")
    #expect(answer.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r"))
    #expect(answer.contains("Sec-WebSocket-Protocol: flow.1\r"))
    return (server, client)
  }

  private static func frame(_ opcode: UInt8, _ payload: String) -> [UInt8] {
    let mask: [UInt8] = [0x5A, 0x00, 0xFF, 0x0A]
    let bytes = Array(payload.utf8)
    let length =
      bytes.count < 126
      ? [0x80 | UInt8(bytes.count)] : [0xFE, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
    return [0x80 | opcode] + length + mask + bytes.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  private func text(_ line: String) -> [UInt8] { Self.frame(1, line) }
  private func binary(_ bytes: String) -> [UInt8] { Self.frame(2, bytes) }

  /// What the server says until it closes; the code of its close frame last.
  private func messages(_ client: TestClient) throws -> [String] {
    var bytes = try client.bytesToTheEnd()[...]
    var messages: [String] = []
    while let opcode = bytes.popFirst(), var length = bytes.popFirst().map({ Int($0) }) {
      if length >= 126 {
        let digits = length == 126 ? 2 : 8
        length = bytes.prefix(digits).reduce(0) { $0 << 8 | Int($1) }
        bytes = bytes.dropFirst(digits)
      }
      let payload = bytes.prefix(length)
      bytes = bytes.dropFirst(length)
      switch opcode {
      case 0x81: messages.append(String(decoding: payload, as: UTF8.self))
      case 0x82: messages.append("binary \(Array(payload))")
      case 0x88: messages.append("close \(payload.prefix(2).reduce(0) { $0 << 8 | Int($1) })")
      default: messages.append("opcode \(opcode & 0x0F) \(Array(payload))")
      }
    }
    return messages
  }

  @Test("a text is a line and a binary is what follows a head, in both directions")
  func bothDirections() throws {
    let (server, client) = try connect()
    defer { withExtendedLifetime(server) {} }
    try client.send(
      text("HELLO 1") + text("SUBJECT taps") + text("PUB taps as=9") + text("SUB taps 2 as=1")
        + text("= 9 one") + text(": 9 3") + binary("a\nb") + Self.frame(9, "!") + text("QUIT")
    )
    var said = try messages(client)
    let greeting = try #require(said.firstIndex { $0.hasPrefix("HI flow/") })
    said.remove(at: greeting)
    // The bridge answers a ping before the session has said anything.
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
    try client.send(text("PING") + Self.frame(8, "\u{0C}\u{00}"))
    #expect(try messages(client).last == "close 3072")
  }

  struct Refusal: Sendable {
    let frames: [[UInt8]]
    let code: Int
  }

  static let refusals = [
    Refusal(frames: [frame(1, "PING\nQUIT")], code: 1008),
    Refusal(frames: [frame(2, "PING")], code: 1008),
    Refusal(frames: [frame(1, ": 1 3"), frame(2, "four")], code: 1008),
    Refusal(frames: [frame(1, ": 1 3"), frame(1, "PING"), frame(2, "abc")], code: 1008),
    Refusal(frames: [frame(3, "")], code: 1002),
  ]

  @Test("what could be taken for something else ends the connection", arguments: refusals)
  func refuses(_ refusal: Refusal) throws {
    let (server, client) = try connect()
    defer { withExtendedLifetime(server) {} }
    try client.send(refusal.frames.flatMap(\.self))
    #expect(try messages(client).last == "close \(refusal.code)")
  }

  @Test("a server that stops says so, and that it goes away")
  func shutdown() throws {
    let (server, client) = try connect()
    server.server.stop(drain: 0) {}
    let said = try messages(client)
    #expect(said.last == "close 1001")
    #expect(said.dropLast().last?.hasPrefix("BYE shutdown") == true)
  }

  @Test("what waits to become a message is held for the client")
  func heldBytes() throws {
    let (server, client) = try connect()
    let part: [UInt8] = [0x01, 0xFF, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]
    try client.send(part + [UInt8](repeating: 0x41, count: 400_000))
    let deadline = ContinuousClock.now + .seconds(Patience.seconds)
    var held = 0
    while held < 400_000, ContinuousClock.now < deadline {
      held = server.server.perform { $0.clients.all.reduce(0) { $0 + $1.bytes } }
    }
    #expect(held >= 400_000)
  }
}
