import FlowTestSupport

/// What a browser says to open a session, and frames of both directions.
enum WebSocketTalk {
  static func request(host: String) -> [UInt8] {
    let head = [
      "GET /flow HTTP/1.1", "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Protocol: flow.1", "", "",
    ]
    return Array(head.joined(separator: "\r\n").utf8)
  }

  static func frame(_ opcode: UInt8, _ payload: String) -> [UInt8] {
    let mask: [UInt8] = [0x5A, 0x00, 0xFF, 0x0A]
    let bytes = Array(payload.utf8)
    let length =
      bytes.count < 126
      ? [0x80 | UInt8(bytes.count)] : [0xFE, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
    return [0x80 | opcode] + length + mask + bytes.enumerated().map { $1 ^ mask[$0 % 4] }
  }

  /// What the server says until it closes; the code of its close frame last.
  static func messages(_ client: TestClient) throws -> [String] {
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
}
