/// Writes the server's frames, which are whole messages without a mask.
package enum WebSocketWriter {
  /// Appends a text frame; the bytes must be UTF-8.
  package static func text(_ payload: some Collection<UInt8>, into bytes: inout [UInt8]) {
    header(.text, length: payload.count, into: &bytes)
    bytes += payload
  }

  /// Appends a pong; its payload is cut to 125 bytes.
  package static func pong(_ payload: [UInt8], into bytes: inout [UInt8]) {
    control(.pong, payload.prefix(longestControl), into: &bytes)
  }

  /// Appends a close frame, which must be the last.
  ///
  /// - Parameters:
  ///   - code: nil for no code; a code that must not be sent is left out.
  ///   - reason: a text for people, cut to 123 bytes.
  ///   - bytes: the output.
  package static func close(_ code: UInt16?, _ reason: String = "", into bytes: inout [UInt8]) {
    guard let code, WebSocketClose.canBeSent(code) else {
      return control(.close, [], into: &bytes)
    }
    let text = Array(reason.utf8)
    var end = min(text.count, longestControl - 2)
    while end > 0, end < text.count, text[end] & 0xC0 == 0x80 { end -= 1 }
    let payload = [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)] + text[..<end]
    control(.close, payload[...], into: &bytes)
  }

  /// Appends the header of a frame with a payload of `length` bytes; it has at most 10 bytes.
  package static func header(_ opcode: WebSocketOpcode, length: Int, into bytes: inout [UInt8]) {
    bytes.append(0x80 | opcode.rawValue)
    switch length {
    case ..<126: bytes.append(UInt8(length))
    case ..<0x1_0000:
      bytes.append(126)
      put(length, count: 2, into: &bytes)
    default:
      bytes.append(127)
      put(length, count: 8, into: &bytes)
    }
  }

  private static let longestControl = 125

  private static func control(
    _ opcode: WebSocketOpcode,
    _ payload: ArraySlice<UInt8>,
    into bytes: inout [UInt8]
  ) {
    header(opcode, length: payload.count, into: &bytes)
    bytes += payload
  }

  private static func put(_ number: Int, count: Int, into bytes: inout [UInt8]) {
    for place in (0..<count).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place)))
    }
  }
}
