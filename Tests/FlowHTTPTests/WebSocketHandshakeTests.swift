import FlowHTTP
import Testing

@Suite("WebSocketHandshake")
struct WebSocketHandshakeTests {
  static let good = """
    GET /chat HTTP/1.1⏎Host: server.example.com⏎Upgrade: websocket⏎Connection: Upgrade⏎\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==⏎Origin: http://example.com⏎\
    Sec-WebSocket-Protocol: chat, superchat⏎Sec-WebSocket-Version: 13⏎\
    Sec-WebSocket-Extensions: permessage-deflate⏎⏎
    """

  static func changed(_ old: String, _ new: String) -> String {
    let parts = good.split(separator: old, maxSplits: 1, omittingEmptySubsequences: false)
    return parts.joined(separator: new)
  }

  private func answer(_ text: String, _ subprotocol: String) -> WebSocketHandshake.Answer? {
    RequestReading.head(text).map { WebSocketHandshake.answer($0, subprotocol: subprotocol) }
  }

  /// RFC 6455, section 1.3.
  @Test("answers the example of the RFC, without extensions")
  func example() {
    let headers = [
      ("Upgrade", "websocket"), ("Connection", "Upgrade"),
      ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
      ("Sec-WebSocket-Protocol", "superchat"),
    ]
    #expect(answer(Self.good, "superchat") == .accepted(ResponseHead(101, headers)))
  }

  @Test(
    "takes lists, and words in any case",
    arguments: [
      changed("Upgrade: websocket", "Upgrade: h2c, WebSocket"),
      changed("Connection: Upgrade", "Connection: keep-alive , UPGRADE"),
      changed("Connection: Upgrade", "Connection: keep-alive⏎Connection: upgrade"),
      changed("chat, superchat", "superchat"),
      changed("chat, superchat", "chat⏎Sec-WebSocket-Protocol: superchat"),
    ]
  )
  func lists(_ text: String) {
    guard case .accepted = answer(text, "superchat") else {
      Issue.record("\(String(describing: answer(text, "superchat")))")
      return
    }
  }

  static let version = ("Sec-WebSocket-Version", "13")

  @Test(
    "refuses and says why",
    arguments: [
      (
        changed("GET", "POST"), ResponseHead(405, [("Allow", "GET")]),
        "a WebSocket is opened with GET"
      ),
      (changed("HTTP/1.1", "HTTP/1.0"), ResponseHead(400), "a WebSocket needs HTTP/1.1"),
      (
        changed("Upgrade: websocket", "X: y"),
        ResponseHead(426, [("Upgrade", "websocket"), version]), "Upgrade does not say websocket"
      ),
      (
        changed("Connection: Upgrade", "X: y"), ResponseHead(400), "Connection does not say Upgrade"
      ),
      (
        changed("Version: 13", "Version: 8"), ResponseHead(426, [version]),
        "expected Sec-WebSocket-Version: 13"
      ),
      (
        changed("Sec-WebSocket-Version: 13", "X: y"), ResponseHead(426, [version]),
        "expected Sec-WebSocket-Version: 13"
      ),
      (
        changed("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25j"), ResponseHead(400),
        "Sec-WebSocket-Key does not stand for 16 bytes"
      ),
      (
        changed("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZ==="), ResponseHead(400),
        "Sec-WebSocket-Key does not stand for 16 bytes"
      ),
      (
        changed("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBs-SBub25jZQ=="), ResponseHead(400),
        "Sec-WebSocket-Key does not stand for 16 bytes"
      ),
      (
        changed("Sec-WebSocket-Key", "X"), ResponseHead(400),
        "Sec-WebSocket-Key does not stand for 16 bytes"
      ),
      (
        changed("chat, superchat", "SUPERCHAT"), ResponseHead(400),
        "Sec-WebSocket-Protocol does not offer superchat"
      ),
      (
        changed("Sec-WebSocket-Protocol", "X"), ResponseHead(400),
        "Sec-WebSocket-Protocol does not offer superchat"
      ),
    ]
  )
  func refusal(_ text: String, _ head: ResponseHead, _ reason: String) {
    #expect(answer(text, "superchat") == .refused(head, reason: reason))
  }

  @Test("tells who asks for a WebSocket")
  func asked() {
    #expect(RequestReading.head(Self.good).map { WebSocketHandshake.isAsked(by: $0) } == true)
    let page = RequestReading.head("GET / HTTP/1.0⏎⏎")
    #expect(page.map { WebSocketHandshake.isAsked(by: $0) } == false)
  }
}
