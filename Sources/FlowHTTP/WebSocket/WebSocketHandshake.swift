/// The handshake that turns a connection into a WebSocket: RFC 6455, section 4.2.
package enum WebSocketHandshake {
  package enum Answer: Equatable, Sendable {
    /// Send this head without a body; WebSocket frames follow.
    case accepted(ResponseHead)
    /// Send this head; the reason can be the body.
    case refused(ResponseHead, reason: String)
  }

  /// Whether the client asks for a WebSocket, correctly or not.
  package static func isAsked(by request: RequestHead) -> Bool {
    request.header("upgrade")?.lists("websocket") ?? false
  }

  /// Answers a handshake.
  ///
  /// It accepts no extensions, so no frame is compressed. The caller must check the request's
  /// origin and path. The client must offer `subprotocol`.
  package static func answer(_ request: RequestHead, subprotocol: String) -> Answer {
    guard request.method.hasBytes(of: "GET") else {
      return refused(405, "a WebSocket is opened with GET", [("Allow", "GET")])
    }
    guard request.minorVersion >= 1 else { return refused(400, "a WebSocket needs HTTP/1.1") }
    guard isAsked(by: request) else {
      return refused(426, "Upgrade does not say websocket", [("Upgrade", "websocket"), version])
    }
    guard request.header("connection")?.lists("upgrade") ?? false else {
      return refused(400, "Connection does not say Upgrade")
    }
    guard request.header("sec-websocket-version")?.hasBytes(of: "13") ?? false else {
      return refused(426, "expected Sec-WebSocket-Version: 13", [version])
    }
    guard let key = request.header("sec-websocket-key"), isKey(key) else {
      return refused(400, "Sec-WebSocket-Key does not stand for 16 bytes")
    }
    let offered = request.header("sec-websocket-protocol") ?? ""
    guard offered.lists(subprotocol, anyCase: false) else {
      return refused(400, "Sec-WebSocket-Protocol does not offer \(subprotocol)")
    }
    let headers = [
      ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept(key)),
      ("Sec-WebSocket-Protocol", subprotocol),
    ]
    return .accepted(ResponseHead(101, headers))
  }

  /// Whether a text is 16 bytes in Base64.
  private static func isKey(_ text: String) -> Bool {
    text.utf8.count == 24 && text.hasSuffix("==")
      && text.utf8.dropLast(2).allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x2B || $0 == 0x2F }
  }

  /// Returns the value of Sec-WebSocket-Accept for a request's key.
  package static func accept(_ key: String) -> String {
    HTTPText.base64Encode(SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
  }

  private static var version: (String, String) { ("Sec-WebSocket-Version", "13") }

  private static func refused(
    _ status: Int,
    _ reason: String,
    _ headers: [(String, String)] = []
  ) -> Answer {
    .refused(ResponseHead(status, headers), reason: reason)
  }
}
