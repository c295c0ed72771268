import FlowWire
import Testing

@Suite("FrameDecoder")
struct FrameDecoderTests {
  @Test(
    "cuts input into frames",
    arguments: [
      ("PING\n", [.line("PING")]),
      ("PING\r\nQUIT\n", [.line("PING"), .line("QUIT")]),
      ("PING\r\r\n", [.line("PING\r")]),
      ("\n\r\n# hi\n", [.line(""), .line(""), .line("# hi")]),
      ("PING", []),
      ("", []),
      ("SEND orders 5\n", [.send("orders", "5")]),
      ("send a-b_1  two \r\n", [.send("a-b_1", " two ")]),
      ("SEND orders \n", [.send("orders", "")]),
      ("SEND orders\n", [.line("SEND orders")]),
      ("SEND  orders 5\n", [.line("SEND  orders 5")]),
      ("SEND $clock 5\n", [.line("SEND $clock 5")]),
      ("SEND 1x 5\n", [.line("SEND 1x 5")]),
      ("SEND a\tb\n", [.line("SEND a\tb")]),
      ("SENDS a b\n", [.line("SENDS a b")]),
      ("s\n", [.line("s")]),
      ("@t SEND orders 5\n", [.line("@t SEND orders 5")]),
      ("= 1 hello\n", [.value(1, "hello")]),
      ("= 12  two  \n", [.value(12, " two  ")]),
      ("= 7\n", [.value(7, "")]),
      ("= 7 \n", [.value(7, "")]),
      ("= 9007199254740992 x\n", [.value(9_007_199_254_740_992, "x")]),
      ("= 1 a\rb\r\n", [.value(1, "a\rb")]),
      (": 1 5\nhello\n", [.value(1, "hello")]),
      (": 1 5\r\nhello\r\nPING\n", [.value(1, "hello"), .line("PING")]),
      (": 2 3\na\nb\n", [.value(2, "a\nb")]),
      (": 2 3\nab\r\r\n", [.value(2, "ab\r")]),
      (": 2 0\n\n", [.value(2, "")]),
      (": 2 0003\nabc\n", [.value(2, "abc")]),
      ("= 5.17 hello\n= 5.1\n", [.callValue(5, 17, "hello"), .callValue(5, 1, "")]),
      ("= 5.17  1.5 \r\n", [.callValue(5, 17, " 1.5 ")]),
      ("= 9007199254740992.9007199254740992 x\n", [.callValue(1 << 53, 1 << 53, "x")]),
      (": 5.17 3\na\nb\n", [.callValue(5, 17, "a\nb")]),
      (": 5.1 0\r\n\r\n", [.callValue(5, 1, "")]),
      ("% 1 2\n", [.line("% 1 2")]),
    ] as [(String, [DecodedFrame])]
  )
  func frames(_ input: String, _ expected: [DecodedFrame]) {
    #expect(decode(input) == expected)
  }

  @Test(
    "refuses what looks like a value and is none, and goes on behind it",
    arguments: [
      "=", "= ", "=1 x", "=  1 x", "= x y", "= 1x y", "= -1 y", "= 9007199254740993 y",
      "= 99999999999999999999999999 y", "= 1\tx", ": x 1\n?", "= 5. x", "= .5 x",
      "= 5.0 x", "= 5.1.2 x", "= 5.x y", "= 5.1x y", "= 5.9007199254740993 y", ": 5. 1\n?",
      ": 5.0 1\n?", ": 5.1.2 1\n?", ": 5.9007199254740993 1\n?", ": 9007199254740993 3\na\nb",
    ]
  )
  func malformedValue(_ input: String) {
    #expect(decode(input + "\nPING\n") == [.refused(.usage), .line("PING")])
  }

  @Test(
    "gives up where no next frame can be found",
    arguments: [
      ":\n", ": 1\n", ":1 5\nhello\n", ": 1 x\n", ": 1 -5\n", ": 1 5 \nhello\n", ":  2\nab\n",
      ": 1 5\nhello!\n",
      ": 1 5\nhello\rx", ": 1 67108865\n", ": 1 99999999999999999999\n",
      ": 1 " + String(repeating: "0", count: 64),
    ]
  )
  func broken(_ input: String) {
    #expect(decode(input + "\nPING\n") == [.broken])
  }

  @Test("says what is wrong with a value")
  func messages() {
    var offset = 0
    var decoder = FrameDecoder()
    let frame = Array("= x 21.5\n".utf8).withUnsafeBytes { decoder.next($0, &offset) }
    #expect(
      frame
        == .refused(
          WireError(
            .usage,
            "\"= x 21.5\" is not a value frame; the form is = ID TEXT, for example: = 1 21.5"
          ),
          start: 0
        )
    )
  }

  @Test("a frame can be taken again by setting the offset back")
  func rewinding() {
    let input = Array("SEND a 1\n: 3 2\nhi\nPING\n".utf8)
    var decoder = FrameDecoder()
    input.withUnsafeBytes { buffer in
      var offset = 0
      _ = decoder.next(buffer, &offset)
      for again in [offset, offset] {
        offset = again
        #expect(decoder.next(buffer, &offset) == .value(id: 3, payload: 15..<17))
      }
      #expect(decoder.next(buffer, &offset) == .line(18..<22))
    }
  }

  @Test("what was searched once is not searched again")
  func memory() {
    var decoder = FrameDecoder()
    var offset = 0
    for (input, expected) in [
      ("abc", Frame.incomplete), ("a\ncd", .incomplete), ("a\ncd\n", .line(0..<4)),
    ] {
      let frame = Array(input.utf8).withUnsafeBytes { decoder.next($0, &offset) }
      #expect(frame == expected)
    }
  }

  @Test("a counted value that was waited for can be taken again")
  func rewindingAfterWaiting() {
    let input = Array(": 3 2\nhi\n".utf8)
    var decoder = FrameDecoder()
    input.withUnsafeBytes { buffer in
      for end in input.indices {
        var offset = 0
        let start = UnsafeRawBufferPointer(rebasing: buffer[..<end])
        #expect(decoder.next(start, &offset) == .incomplete && offset == 0)
      }
      for _ in 1...2 {
        var offset = 0
        #expect(decoder.next(buffer, &offset) == .value(id: 3, payload: 6..<8))
      }
    }
  }
}
