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
      written { ResponseHead(200).write(into: &$0, .chunks, keepsAlive: true) }
        == wire("HTTP/1.1 200 OK⏎Transfer-Encoding: chunked⏎Connection: keep-alive⏎⏎")
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
  private func event(_ name: String?, id: String? = nil, _ data: String) -> String {
    var bytes: [UInt8] = []
    EventStream.event(name, id: id, data: Array(data.utf8), into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("writes each line of the data as a line")
  func events() {
    #expect(event("value", "1") == "event: value\ndata: 1\n\n")
    #expect(event(nil, "") == "data: \n\n")
    #expect(event(nil, "a\nb\r\nc\rd") == "data: a\ndata: b\ndata: c\ndata: d\n\n")
    #expect(event(nil, "\n") == "data: \ndata: \n\n")
    #expect(event(nil, "\n\r") == "data: \ndata: \ndata: \n\n")
    #expect(event("a\nb", id: "7\r\0", "x") == "event: a b\nid: 7  \ndata: x\n\n")
  }

  @Test("writes comments, and when to come again")
  func comments() {
    var bytes: [UInt8] = []
    EventStream.comment("still\nhere", into: &bytes)
    EventStream.comment(into: &bytes)
    EventStream.retry(milliseconds: 3000, into: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == ": still here\n\n: \n\nretry: 3000\n\n")
    #expect(EventStream.headers.contains { $0 == ("Content-Type", "text/event-stream") })
  }
}
