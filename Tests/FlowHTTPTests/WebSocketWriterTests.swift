import FlowHTTP
import Testing

@Suite("WebSocketWriter")
struct WebSocketWriterTests {
  private func written(_ write: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    write(&bytes)
    return bytes
  }

  /// RFC 6455, section 5.7.
  @Test("writes the examples of the RFC")
  func examples() {
    let hello = Array("Hello".utf8)
    #expect(written { WebSocketWriter.text(hello, into: &$0) } == [0x81, 5] + hello)
    #expect(written { WebSocketWriter.pong(hello, into: &$0) } == [0x8A, 5] + hello)
  }

  @Test(
    "writes the shortest length",
    arguments: [
      (0, [0x81, 0]), (125, [0x81, 125]), (126, [0x81, 126, 0, 126]), (127, [0x81, 126, 0, 127]),
      (65535, [0x81, 126, 255, 255]), (65536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
    ] as [(Int, [UInt8])]
  )
  func lengths(_ length: Int, _ bytes: [UInt8]) {
    #expect(written { WebSocketWriter.header(.text, length: length, into: &$0) } == bytes)
  }

  @Test("cuts what is too long for a control frame, a reason at a character")
  func cuts() {
    let long = [UInt8](repeating: 1, count: 200)
    #expect(written { WebSocketWriter.pong(long, into: &$0) } == [0x8A, 125] + long.prefix(125))
    #expect(written { WebSocketWriter.close(nil, "x", into: &$0) } == [0x88, 0])
    #expect(written { WebSocketWriter.close(1006, "x", into: &$0) } == [0x88, 0])
    #expect(
      written { WebSocketWriter.close(1001, "é", into: &$0) } == [0x88, 4, 3, 0xE9, 0xC3, 0xA9]
    )
    for (fill, kept) in [(120, 123), (121, 121), (122, 122), (123, 123)] {
      let reason = String(repeating: "a", count: fill) + "€x"
      let bytes = written { WebSocketWriter.close(1000, reason, into: &$0) }
      #expect(bytes.count == 4 + kept)
      #expect(String(validating: bytes.dropFirst(4), as: UTF8.self) != nil)
    }
  }
}
