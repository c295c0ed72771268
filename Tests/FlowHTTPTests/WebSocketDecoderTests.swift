import FlowHTTP
import FlowTestSupport
import Testing

/// The cases follow the sections of the Autobahn test suite: 1 framing, 2 pings, 3 reserved bits,
/// 4 opcodes, 5 fragmentation, 6 UTF-8, 7 close handling.
@Suite("WebSocketDecoder")
struct WebSocketDecoderTests {
  typealias Outcome = WebSocketDecoder.Outcome

  static func text(_ text: String) -> Outcome { .message(isText: true, Array(text.utf8)) }

  static func failed(_ code: UInt16, _ reason: String) -> [Outcome] {
    [.failed(code: code, reason: reason)]
  }

  static let malformed = failed(1007, "a text is not UTF-8")
  static let continuesNothing = failed(1002, "a frame continues a message that has not begun")
  static let beginsTooEarly = failed(1002, "a message begins before the last one has ended")

  static let longLength = failed(1002, "the length of a frame is not in its shortest form")

  static let conversations: [([ClientFrame], [Outcome])] = [
    ([ClientFrame(1), ClientFrame(2)], [text(""), .message(isText: false, [])]),
    (
      [ClientFrame(1, "Hello"), ClientFrame(2, [0, 255])],
      [text("Hello"), .message(isText: false, [0, 255])]
    ),
    (
      [ClientFrame(9), ClientFrame(9, "é"), ClientFrame(10, "x")],
      [.ping([]), .ping(Array("é".utf8)), .pong]
    ),
    (
      [ClientFrame(9, [UInt8](repeating: 254, count: 125))],
      [.ping([UInt8](repeating: 254, count: 125))]
    ),
    (
      [ClientFrame(9, [UInt8](repeating: 1, count: 126))],
      failed(1002, "a control frame has more than 125 bytes")
    ),
    ([ClientFrame(1, "a").with { $0.reserved = 4 }], failed(1002, "a reserved bit is set")),
    ([ClientFrame(9, "a").with { $0.reserved = 1 }], failed(1002, "a reserved bit is set")),
    ([ClientFrame(8).with { $0.reserved = 2 }], failed(1002, "a reserved bit is set")),
    ([ClientFrame(1, "a").with { $0.key = nil }], failed(1002, "a frame is not masked")),
    ([ClientFrame(9).with { $0.key = nil }], failed(1002, "a frame is not masked")),
    ([ClientFrame(9, "a", isFinal: false)], failed(1002, "a control frame is fragmented")),
    ([ClientFrame(1, "a", isFinal: false), ClientFrame(0, "b")], [text("ab")]),
    (
      [
        ClientFrame(1, "a", isFinal: false), ClientFrame(9, "p"), ClientFrame(0, isFinal: false),
        ClientFrame(10), ClientFrame(0, "b"), ClientFrame(1, "c"),
      ], [.ping([0x70]), .pong, text("ab"), text("c")]
    ),
    ([ClientFrame(1, isFinal: false), ClientFrame(0, isFinal: false), ClientFrame(0)], [text("")]),
    ([ClientFrame(0, "a")], continuesNothing),
    ([ClientFrame(0, "a", isFinal: false)], continuesNothing),
    (
      [ClientFrame(2, "a"), ClientFrame(0, "b")],
      [.message(isText: false, [0x61])] + continuesNothing
    ),
    ([ClientFrame(1, "a", isFinal: false), ClientFrame(1, "b")], beginsTooEarly),
    ([ClientFrame(2, "a", isFinal: false), ClientFrame(2, "b", isFinal: false)], beginsTooEarly),
    (
      [ClientFrame(9, "a"), ClientFrame(10, "b"), ClientFrame(9, "c")],
      [.ping([0x61]), .pong, .ping([0x63])]
    ),
    ([ClientFrame(1, "a").with { $0.lengthBytes = 8 }], longLength),
    ([ClientFrame(1, "b").with { $0.lengthBytes = 2 }], longLength),
    ([ClientFrame(2).with { $0.lengthBytes = 2 }], longLength),
    (
      [ClientFrame(2, [UInt8](repeating: 1, count: 65535)).with { $0.lengthBytes = 8 }], longLength
    ),
    // Characters that are divided between fragments, and those that are none.
    (
      [
        ClientFrame(1, [0xE2], isFinal: false), ClientFrame(9),
        ClientFrame(0, [0x82], isFinal: false), ClientFrame(0, [0xAC]),
      ], [.ping([]), text("€")]
    ),
    ([ClientFrame(1, [0x61, 0xE2], isFinal: false), ClientFrame(0, [0x61])], malformed),
    ([ClientFrame(1, [0x61, 0xE2, 0x82])], malformed),
    ([ClientFrame(1, [0x61, 0xFF], isFinal: false)], malformed),
    ([ClientFrame(1, [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xED, 0xA0, 0x80, 0x65])], malformed),
    ([ClientFrame(1, [0xF4, 0x90], isFinal: false)], malformed),
    ([ClientFrame(2, [0xFF])], [.message(isText: false, [0xFF])]),
    (
      [ClientFrame(2, [0xE2], isFinal: false), ClientFrame(0), ClientFrame(1, "a")],
      [.message(isText: false, [0xE2]), text("a")]
    ),
    ([ClientFrame(8)], [.close(code: nil, reason: "")]),
    (
      [.close(1000, "bye é"), ClientFrame(1, "more"), ClientFrame(3)],
      [.close(code: 1000, reason: "bye é")]
    ),
    ([ClientFrame(1, "a", isFinal: false), .close(1001)], [.close(code: 1001, reason: "")]),
    ([ClientFrame(8, [3])], failed(1002, "half a code in a close frame")),
    ([ClientFrame(8, [0x03, 0xE8, 0x61, 0xFF])], malformed),
    (
      [ClientFrame(8, [0x03, 0xE8] + [UInt8](repeating: 0x61, count: 123))],
      [.close(code: 1000, reason: String(repeating: "a", count: 123))]
    ),
    (
      [ClientFrame(8, [0x03, 0xE8] + [UInt8](repeating: 0x61, count: 124))],
      failed(1002, "a control frame has more than 125 bytes")
    ),
  ]

  @Test("reads frames at once, byte by byte and split anywhere", arguments: conversations)
  func conversation(_ frames: [ClientFrame], _ expected: [Outcome]) {
    let bytes = frames.flatMap(\.bytes)
    #expect(WebSocketReading.read([bytes]) == expected)
    #expect(WebSocketReading.read(bytes.map { [$0] }) == expected)
    // All of the short conversations; the long one fails in its first bytes.
    for first in bytes.indices.prefix(300) {
      #expect(WebSocketReading.read([bytes[..<first], bytes[first...]]) == expected, "\(first)")
      for second in first..<min(bytes.count, first + 20) {
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
        #expect(WebSocketReading.read(pieces) == expected, "\(first), \(second)")
      }
    }
  }

  @Test("refuses reserved opcodes", arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8])
  func reservedOpcode(_ opcode: UInt8) {
    let expected = Self.failed(1002, "the opcode \(opcode) is reserved")
    #expect(WebSocketReading.read([ClientFrame(opcode, "a").bytes]) == expected)
  }

  @Test("knows which codes a close frame may have")
  func closeCodes() {
    let good = Array(1000...1003) + Array(1007...1014) + Array(3000...4999)
    let bad = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]
    for code in good {
      let expected = [Outcome.close(code: UInt16(code), reason: "x")]
      #expect(WebSocketReading.read([ClientFrame.close(code, "x").bytes]) == expected)
    }
    for code in bad {
      let expected = Self.failed(1002, "the code \(code) cannot be in a close frame")
      #expect(WebSocketReading.read([ClientFrame.close(code, "x").bytes]) == expected)
    }
  }

  @Test(
    "reads payloads of every length of length, in pieces of every kind",
    arguments: [0, 1, 7, 8, 9, 125, 126, 127, 128, 65535, 65536, 100_000]
  )
  func sizes(_ count: Int) {
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for opcode: UInt8 in [1, 2] {
      let sent = opcode == 1 ? payload.map { $0 & 0x7F } : payload
      let bytes = ClientFrame(opcode, sent).bytes
      let expected = [Outcome.message(isText: opcode == 1, sent)]
      #expect(WebSocketReading.read([bytes]) == expected)
      for size in [1, 3, 8, 13, 997] {
        let pieces = stride(from: 0, to: bytes.count, by: size).map {
          bytes[$0..<min($0 + size, bytes.count)]
        }
        var reading = WebSocketReading()
        for piece in pieces { reading.receive(piece) }
        #expect(reading.outcomes == expected)
        #expect(reading.mostKept <= 13)
      }
    }
  }

  @Test("refuses a message that is too long before its data comes")
  func limits() {
    let tooLong = Self.failed(1009, "the message is longer than is allowed here")
    func read(_ bytes: [UInt8]) -> [Outcome] { WebSocketReading.read([bytes], longestMessage: 200) }
    func start(_ frame: ClientFrame, _ count: Int) -> [UInt8] { Array(frame.bytes.prefix(count)) }
    let full = [UInt8](repeating: 0x61, count: 200)
    #expect(read(ClientFrame(1, full).bytes) == [.message(isText: true, full)])
    #expect(read(start(ClientFrame(1, full + [0x61]), 4)) == tooLong)
    #expect(read([0x82, 0xFF, 0x7F, 255, 255, 255, 255, 255, 255, 255]) == tooLong)
    #expect(
      read([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0])
        == Self.failed(1002, "the length of a frame has 64 bits")
    )
    let first = ClientFrame(2, full, isFinal: false).bytes
    #expect(read(first + start(ClientFrame(0, [1]), 2)) == tooLong)
    #expect(read(first + ClientFrame(9, [1]).bytes + ClientFrame(0).bytes).count == 2)
  }

  @Test("finds what is not UTF-8 before the frame is complete")
  func failsFast() {
    let bytes = ClientFrame(1, Array("0123456789".utf8) + [0xC0] + Array("abcdefgh".utf8)).bytes
    #expect(WebSocketReading.read([bytes.prefix(16)]) == [])
    #expect(WebSocketReading.read([bytes.prefix(17)]) == Self.malformed)
  }

  @Test("agrees with the standard library on what is UTF-8", arguments: 1...5)
  func unicode(_ seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    let parts: [[UInt8]] = [
      Array("aaaaaaaaaa".utf8), Array("é".utf8), Array("€".utf8), Array("😀".utf8), [0x80], [0xBF],
      [0xE0], [0xE0, 0x9F], [0xED, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F], [0xF0, 0x90],
      [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x90], [0xC1], [0xC2], [0xF5], [0xEE, 0x80, 0x80],
    ]
    for _ in 0..<RandomCases.count(2000) {
      let payload = (0..<Int.random(in: 0...6, using: &generator)).flatMap { _ in
        parts.randomElement(using: &generator) ?? []
      }
      let isGood = String(validating: payload, as: UTF8.self) != nil
      let expected = isGood ? [Outcome.message(isText: true, payload)] : Self.malformed
      #expect(WebSocketReading.read([ClientFrame(1, payload).bytes]) == expected)
    }
  }

  @Test("drops what follows a close, and fails again after a failure")
  func afterwards() {
    var decoder = WebSocketDecoder(longestMessage: 10)
    func feed(_ frame: ClientFrame) -> (Outcome, left: Int) {
      let bytes = frame.bytes
      var offset = 0
      let outcome = bytes.withUnsafeBytes { decoder.next($0, &offset) }
      return (outcome, bytes.count - offset)
    }
    #expect(feed(.close(1000)) == (.close(code: 1000, reason: ""), 0))
    #expect(feed(ClientFrame(3, "x")) == (.incomplete, 0))
    decoder = WebSocketDecoder(longestMessage: 10)
    let failure = feed(ClientFrame(3)).0
    #expect(feed(ClientFrame(1, "a")).0 == failure)
  }

  @Test("reads the same whatever the pieces, of any bytes", arguments: 1...20)
  func noise(_ seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    let opcodes: [UInt8] = [0, 0, 1, 1, 2, 8, 9, 10, 0, 9, 3]
    for _ in 0..<RandomCases.count(200) {
      let bytes = (0..<Int.random(in: 1...8, using: &generator)).flatMap { _ -> [UInt8] in
        if Int.random(in: 0..<20, using: &generator) == 0 {
          return (0..<9).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        let count = Int.random(in: 0...20, using: &generator)
        let letters: [UInt8] = [0x61, 0x62, 0xC3, 0xA9]
        var frame = ClientFrame(
          opcodes.randomElement(using: &generator) ?? 0,
          (0..<count).map { letters[$0 % (Bool.random(using: &generator) ? 2 : 4)] },
          isFinal: Bool.random(using: &generator)
        )
        frame.key = (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return frame.bytes
      }
      let whole = WebSocketReading.read([bytes], longestMessage: 50)
      var pieces = WebSocketReading(longestMessage: 50)
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...min(9, rest.count), using: &generator)
        pieces.receive(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(pieces.outcomes == whole)
    }
  }
}
