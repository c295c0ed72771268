import FlowTestSupport
import FlowWire
import Testing

@Suite("FrameWriter")
struct FrameWriterTests {
  private func written(_ write: (inout [UInt8]) -> Void) -> String {
    var output: [UInt8] = []
    write(&output)
    return String(decoding: output, as: UTF8.self)
  }

  private func value(_ id: UInt64, _ payload: [UInt8]) -> [UInt8] {
    value(StreamID(rawValue: id), payload)
  }

  private func value(_ id: StreamID, _ payload: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    payload.withUnsafeBytes { FrameWriter.value(id, $0, into: &output) }
    return output
  }

  @Test(
    "writes a value as text, and counts it if it has a CR or LF",
    arguments: [
      (1, "hello", "= 1 hello\n"),
      (12, "", "= 12 \n"),
      (0, " x ", "= 0  x \n"),
      (9_007_199_254_740_992, "x", "= 9007199254740992 x\n"),
      (7, "a\nb", ": 7 3\na\nb\n"),
      (7, "ab\r", ": 7 3\nab\r\n"),
      (10, "\n", ": 10 1\n\n\n"),
    ] as [(UInt64, String, String)]
  )
  func values(_ id: UInt64, _ payload: String, _ expected: String) {
    #expect(String(decoding: value(id, Array(payload.utf8)), as: UTF8.self) == expected)
  }

  private func head(_ id: StreamID, _ payload: [UInt8]) -> String {
    written { output in
      payload.withUnsafeBytes { FrameWriter.head(id, $0, into: &output) }
    }
  }

  @Test("what it writes is decoded to what was written", arguments: 1...10)
  func roundTrip(_ seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    var input: [UInt8] = []
    var expected: [DecodedFrame] = []
    for _ in 0..<100 {
      let id = UInt64.random(in: 0...StreamID.largest, using: &generator)
      let payload = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
        UInt8.random(in: seed.isMultiple(of: 2) ? 0...255 : 14...255, using: &generator)
      }
      input += value(id, payload)
      expected.append(.value(id: id, payload: payload))
      let call = StreamID(
        service: id,
        call: UInt64.random(in: 1...StreamID.largest, using: &generator)
      )
      input += value(call, payload)
      expected.append(.callValue(call, payload: payload))
    }
    #expect(decode([input]) == expected)
  }

  @Test("a CR or LF is found wherever it is")
  func lineEnds() {
    for length in 0...130 {
      var payload = [UInt8](repeating: 0x0B, count: length)
      #expect(!payload.withUnsafeBytes { containsLineEnd($0) })
      for place in payload.indices {
        payload[place] = place.isMultiple(of: 2) ? 0x0A : 0x0D
        #expect(payload.withUnsafeBytes { containsLineEnd($0) })
        payload[place] = 0x0C
      }
    }
  }

  @Test(
    "writes the head of a value; a prefix made once has the same bytes",
    arguments: [0, 9, 10, 99, 100, 9_007_199_254_740_992] as [UInt64]
  )
  func prefixes(_ id: UInt64) {
    let stream = StreamID(rawValue: id)
    #expect(StreamPrefix(stream).withUnsafeBytes { Array($0) } == Array("= \(id) ".utf8))
    #expect(head(stream, [1]) == "= \(id) ")
    #expect(head(stream, [UInt8](repeating: 10, count: 1_000)) == ": \(id) 1000\n")
  }

  @Test("writes the two numbers of a call with a dot between")
  func calls() throws {
    let id = StreamID(service: 9_007_199_254_740_992, call: 9_007_199_254_740_992)
    let text = "9007199254740992.9007199254740992"
    #expect(id.description == text)
    #expect(head(id, []) == "= \(text) ")
    #expect(head(id, [10]) == ": \(text) 1\n")
    let call = StreamID(service: 5, call: 17)
    let lines: [(ServerLine, String)] = [
      (.request(call, .max(1)), "REQ 5.17 1"), (.request(call, .unlimited), "REQ 5.17 max"),
      (.cancel(call, reason: nil), "CANCEL 5.17"), (.done(call), "DONE 5.17"),
      (.fail(call, code: "busy", text: "not now"), "FAIL 5.17 busy not now"),
      (.drop(call, count: 2, reason: "no-demand"), "DROP 5.17 2 no-demand"),
    ]
    for (line, text) in lines {
      #expect(written { line.write(into: &$0) } == text + "\n")
      #expect(try TaggedServerLine(text) == TaggedServerLine(line))
    }
    #expect(throws: WireError.self) { try TaggedServerLine("DONE 5.0") }
  }

  @Test("writes signals")
  func signals() {
    let id = StreamID(rawValue: 5)
    #expect(written { ServerLine.done(id).write(into: &$0) } == "DONE 5\n")
    #expect(
      written { ServerLine.fail(id, code: "upstream", text: "no luck").write(into: &$0) }
        == "FAIL 5 upstream no luck\n"
    )
    #expect(
      written { ServerLine.drop(id, count: 3, reason: "no-demand").write(into: &$0) }
        == "DROP 5 3 no-demand\n"
    )
    #expect(written { ServerLine.request(id, .max(8)).write(into: &$0) } == "REQ 5 8\n")
    #expect(written { ServerLine.request(id, .unlimited).write(into: &$0) } == "REQ 5 max\n")
    #expect(written { ServerLine.cancel(id).write(into: &$0) } == "CANCEL 5\n")
    #expect(
      written { ServerLine.cancel(id, reason: "overrun").write(into: &$0) } == "CANCEL 5 overrun\n"
    )
  }

  @Test("a text stays on its line, whatever is in it")
  func injection() {
    let id = StreamID(rawValue: 5)
    #expect(
      written {
        ServerLine.fail(id, code: "x", text: "a\r\nDONE 6\n\u{1B}[2J\tß\u{7F}").write(into: &$0)
      }
        == "FAIL 5 x a\\r\\nDONE 6\\n\\x1B[2J\tß\\x7F\n"
    )
  }

  @Test(
    "spells out in texts what is unseen",
    arguments: [
      ("\u{0}", "\\x00"), ("\u{1B}[2J", "\\x1B[2J"), ("\u{7F}", "\\x7F"), ("\u{80}", "\\u{80}"),
      ("\u{85}", "\\u{85}"), ("\u{9B}31m", "\\u{9B}31m"), ("\u{9F}", "\\u{9F}"),
      ("\u{AD}", "\\u{AD}"), ("\u{61C}", "\\u{61C}"), ("\u{200B}", "\\u{200B}"),
      ("a\u{200D}b", "a\\u{200D}b"), ("\u{200E}\u{200F}", "\\u{200E}\\u{200F}"),
      ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"), ("\u{202A}\u{202E}", "\\u{202A}\\u{202E}"),
      ("\u{2060}\u{2066}\u{2069}", "\\u{2060}\\u{2066}\\u{2069}"), ("\u{FEFF}", "\\u{FEFF}"),
      ("\u{E0041}", "\\u{E0041}"), ("\u{3164}", "\\u{3164}"), ("\r\n", "\\r\\n"),
      ("\t é ß 漢 ع א 😀 \u{A0}\u{A1}", "\t é ß 漢 ع א 😀 \u{A0}\u{A1}"), ("e\u{301}", "e\u{301}"),
    ]
  )
  func unseen(_ text: String, _ shown: String) {
    #expect(Array(FrameWriter.oneLine(text).unicodeScalars) == Array(shown.unicodeScalars))
    #expect(FrameWriter.oneLine(shown) == shown)
  }

  @Test("spells control characters out in texts, but for the tab")
  func oneLine() {
    #expect(FrameWriter.oneLine("a\nb\rc\td\u{1}é") == "a\\nb\\rc\td\\x01é")
  }
}
