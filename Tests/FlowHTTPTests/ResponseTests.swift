import FlowHTTP
import Testing

@Suite("ResponseHead")
struct ResponseHeadTests {
  private func written(_ write: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    write(&bytes)
    return bytes
  }

  @Test("writes heads")
  func heads() {
    let page = ResponseHead(200, [("Content-Type", "text/html")])
    #expect(
      written { page.write(into: &$0, body: Array("hé".utf8), keepsAlive: true) }
        == wire(
          "HTTP/1.1 200 OK⏎Content-Type: text/html⏎Content-Length: 3⏎Connection: keep-alive⏎⏎hé"
        )
    )
    #expect(
      written { ResponseHead(204).write(into: &$0, .none, keepsAlive: false) }
        == wire("HTTP/1.1 204 No Content⏎Connection: close⏎⏎")
    )
    #expect(
      written { ResponseHead(200).write(into: &$0, .untilClose, keepsAlive: true) }
        == wire("HTTP/1.1 200 OK⏎Connection: close⏎⏎")
    )
    #expect(
      written { ResponseHead(101, [("Upgrade", "x")]).write(into: &$0, .none, keepsAlive: true) }
        == wire("HTTP/1.1 101 Switching Protocols⏎Upgrade: x⏎⏎")
    )
    #expect(written { ResponseHead(599).write(into: &$0, .none, keepsAlive: true) }.count > 15)
  }

  @Test("lets no header end its line")
  func injection() {
    let head = ResponseHead(303, [("Location: x\r\nA", "/\r\nSet-Cookie: a=b\0\u{7F}é\t")])
    #expect(
      written { head.write(into: &$0, .bytes(0), keepsAlive: false) }
        == wire(
          "HTTP/1.1 303 See Other⏎Location__x__A: /  Set-Cookie: a=b  é\t⏎Content-Length: 0⏎"
            + "Connection: close⏎⏎"
        )
    )
  }
}

@Suite("EventStream")
struct EventStreamTests {
  private func event(_ name: String, _ data: String) -> String {
    var bytes: [UInt8] = []
    EventStream.event(name, data: Array(data.utf8), into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("writes each line of the data as a line")
  func events() {
    #expect(event("value", "1") == "event: value\ndata: 1\n\n")
    #expect(event("a", "") == "event: a\ndata: \n\n")
    let lines = "data: a\ndata: b\ndata: c\ndata: d\n\n"
    #expect(event("a", "a\nb\r\nc\rd") == "event: a\n" + lines)
    #expect(event("a", "\n") == "event: a\ndata: \ndata: \n\n")
    #expect(event("a", "\n\r") == "event: a\ndata: \ndata: \ndata: \n\n")
  }

  @Test("says what the stream is")
  func headers() {
    #expect(EventStream.headers.contains { $0 == ("Content-Type", "text/event-stream") })
  }
}
