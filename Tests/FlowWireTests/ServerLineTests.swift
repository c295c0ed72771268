import FlowWire
import Testing

@Suite("ServerLine")
struct ServerLineTests {
  private static let id = StreamID(rawValue: 5)

  static let lines: [(String, TaggedServerLine)] = [
    (
      "HI flow/0.1.0 proto=1 maxline=65536 maxvalue=1048576 auth=none",
      TaggedServerLine(
        .greeting(
          Greeting(
            product: "flow/0.1.0",
            longestLine: 65_536,
            largestValue: 1_048_576,
            needsToken: false
          )
        )
      )
    ),
    ("OK quit", TaggedServerLine(.ok(.plain(.quit)))),
    (
      "@t1 OK sub 5 orders demand=max",
      TaggedServerLine(tag: "t1", .ok(.open(.subscribe, id, name: "orders", demand: .unlimited)))
    ),
    (
      "@! ERR usage count is \"x\"",
      TaggedServerLine(tag: "!", .error(code: "usage", text: "count is \"x\""))
    ),
    ("ERR limit", TaggedServerLine(.error(code: "limit", text: ""))),
    ("PONG", TaggedServerLine(.pong(nil))),
    ("PONG  two  words ", TaggedServerLine(.pong(" two  words "))),
    ("* orders subject", TaggedServerLine(.row("orders subject"))),
    ("*", TaggedServerLine(.row(""))),
    ("# try HELP", TaggedServerLine(.note("try HELP"))),
    ("DONE 5", TaggedServerLine(.done(id))),
    (
      "FAIL 5 stage map: no number",
      TaggedServerLine(.fail(id, code: "stage", text: "map: no number"))
    ),
    ("DROP 5 12 no-demand", TaggedServerLine(.drop(id, count: 12, reason: "no-demand"))),
    ("REQ 5 64", TaggedServerLine(.request(id, .max(64)))),
    ("REQ 5 max", TaggedServerLine(.request(id, .unlimited))),
    ("CANCEL 5", TaggedServerLine(.cancel(id, reason: nil))),
    ("CANCEL 5 overrun", TaggedServerLine(.cancel(id, reason: "overrun"))),
    ("DRAIN 30", TaggedServerLine(.drain(seconds: 30))),
    ("BYE framing no line end", TaggedServerLine(.bye(code: "framing", text: "no line end"))),
  ]

  @Test("is read and written alike", arguments: lines)
  func bothWays(_ text: String, _ line: TaggedServerLine) throws {
    #expect(try TaggedServerLine(text) == line)
    var output: [UInt8] = []
    line.write(into: &output)
    #expect(String(decoding: output, as: UTF8.self) == text + "\n")
  }

  @Test(
    "takes what a newer server says as far as it is known",
    arguments: [
      (
        "HI flow/9 new maxvalue=5 auth=token x=a=b=",
        .greeting(
          Greeting(product: "flow/9", longestLine: 65_536, largestValue: 5, needsToken: true)
        )
      ),
      ("OK send a x=1 missed=2 to=3", .ok(.send(name: "a", to: 3, missed: 2))),
      ("OK send a seq=7", .ok(.stored(name: "a", sequence: 7))),
      ("OK send a", .ok(.stored(name: "a", sequence: nil))),
      ("OK pause a for=3s", .ok(.other("pause a for=3s"))),
      ("OK sub x", .ok(.other("sub x"))),
    ] as [(String, ServerLine)]
  )
  func newer(_ text: String, _ line: ServerLine) throws {
    #expect(try TaggedServerLine(text).line == line)
  }

  @Test(
    "refuses what no server says",
    arguments: [
      "", "  ", "@", "@ OK", "@t", "OK", "ok sub 1", "HI", "ERR", "NEWS 1", "DONE", "DONE x",
      "DONE 9007199254740993", "FAIL 5", "DROP 5", "DROP 5 x no-demand", "DROP 5 3", "REQ 5",
      "REQ 5 -1", "CANCEL", "DRAIN soon", "BYE",
    ]
  )
  func refusal(_ line: String) {
    #expect(throws: WireError.self) { try TaggedServerLine(line) }
  }

  @Test("texts, tags, fields and options stay on their line")
  func injection() throws {
    let evil = "a\r\nBYE framing"
    for line in [
      TaggedServerLine(tag: "t", .error(code: "usage", text: evil)),
      TaggedServerLine(.pong(evil)),
      TaggedServerLine(.row(evil)),
      TaggedServerLine(.note(evil)),
      TaggedServerLine(.bye(code: "usage", text: evil)),
      TaggedServerLine(.ok(.other(evil))),
    ] {
      var output: [UInt8] = []
      line.write(into: &output)
      #expect(output.firstIndex { $0 == 0x0A || $0 == 0x0D } == output.count - 1)
    }
  }
}
