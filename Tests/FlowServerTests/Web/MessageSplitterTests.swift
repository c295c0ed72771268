import FlowTestSupport
import FlowWire
import Testing

@testable import FlowServer

@Suite("MessageSplitter")
struct MessageSplitterTests {
  /// What a session says, in pieces that end at `splits`, as messages: texts are `T…`, binaries `B…`.
  private func messages(_ bytes: [UInt8], _ splits: [Int], rawAt start: Int? = nil) -> [String] {
    var splitter = MessageSplitter()
    if let start { splitter.beginRaw(at: start) }
    var messages: [String] = []
    var unread: [UInt8] = []
    var begin = 0
    for end in splits + [bytes.count] {
      unread += bytes[begin..<end]
      begin = end
      var offset = 0
      unread.withUnsafeBytes { buffer in
        while let message = splitter.next(buffer, offset) {
          if let head = message.head { messages.append("T\(head)") }
          let text = String(decoding: buffer[message.bytes], as: UTF8.self)
          messages.append((message.isText ? "T" : "B") + text)
          offset = message.end
        }
      }
      unread.removeFirst(offset)
    }
    return messages
  }

  private static let talk: [UInt8] =
    Array("OK hello 1\n: 1 5\na\nb\rc\n= 2 x\n= 2 \n\n: 5.17 0\n\n: 3 3\n: 1\n= 4 a".utf8)
    + [0xFF, 0x20] + Array("b\n= 5 ".utf8) + [0xC0] + Array("\n@! PONG\n".utf8)

  private static let expected = [
    "TOK hello 1", "T: 1 5", "Ba\nb\rc", "T= 2 x", "T= 2 ", "T", "T: 5.17 0", "B", "T: 3 3", "B: 1",
    "T: 4 4", "Ba\u{FFFD} b", "T: 5 1", "B\u{FFFD}", "T@! PONG",
  ]

  @Test("lines are texts, payloads and what is not UTF-8 are binaries, wherever bytes are cut")
  func everySplit() {
    let talk = Self.talk
    #expect(messages(talk, []) == Self.expected)
    #expect(messages(talk, Array(1..<talk.count)) == Self.expected)
    for first in 1..<talk.count {
      for second in first..<talk.count {
        #expect(messages(talk, [first, second]) == Self.expected)
      }
    }
  }

  @Test("the lines of a TAIL are what they are, from its first byte on")
  func tail() {
    let before = Array("HI\n: 1 2\n\n\n\n".utf8)
    let lines = Array(": 1 3\n= 1 ".utf8) + [0xFF] + Array("\n\n".utf8)
    for split in 1..<(before + lines).count {
      #expect(
        messages(before + lines, [split], rawAt: before.count)
          == ["THI", "T: 1 2", "B\n\n", "T: 1 3", "B= 1 \u{FFFD}", "T"]
      )
    }
  }

  @Test(
    "a head says how long the bytes are that follow it",
    arguments: [
      (": 1 5", 5), (": 5.17 0", 0), (": 1 18446744073709551616", Int.max), (": 1 -5", nil),
      (": 1 005", 5), (": 1  5", 5), (": 5", nil), (": 1 5 ", nil), (": 1\t5", nil),
      (": 1 x", nil), ("= 1 5", nil), ("", nil), (":1 5", nil), (": 1 5x", nil),
      (": " + String(repeating: "1", count: 100) + " 5", nil),
    ]
  )
  func heads(_ line: String, _ length: Int?) {
    let told = Array(line.utf8).withUnsafeBytes { FrameDecoder.announcedLength($0) }
    #expect(told == length)
  }
}
