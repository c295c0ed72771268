import FlowWire
import Testing

@Suite("FeedDecoder")
struct FeedDecoderTests {
  /// What a feed is made of, however its octets come in.
  enum Part: Equatable {
    case value(String)
    case tooLong
    case end
  }

  private func decode(_ pieces: [[UInt8]], limit: Int = 8) -> (parts: [Part], rest: [UInt8]) {
    var decoder = FeedDecoder(limit: limit)
    var parts: [Part] = []
    var unread: [UInt8] = []
    for piece in pieces {
      unread += piece
      var offset = 0
      unread.withUnsafeBytes { buffer in
        while true {
          switch decoder.next(buffer, &offset) {
          case .incomplete: return
          case .value(let place):
            parts.append(.value(String(decoding: buffer[place], as: UTF8.self)))
          case .tooLong: parts.append(.tooLong)
          case .end: parts.append(.end)
          }
        }
      }
      unread.removeFirst(offset)
    }
    unread.withUnsafeBytes { rest in
      switch decoder.last(rest) {
      case .incomplete: break
      case .value(let place): parts.append(.value(String(decoding: rest[place], as: UTF8.self)))
      case .tooLong: parts.append(.tooLong)
      case .end: parts.append(.end)
      }
    }
    return (parts, unread)
  }

  @Test(
    "cuts lines until a lone dot, wherever the octets are split",
    arguments: [
      ("a\nb\n", [.value("a"), .value("b"), .end]),
      ("a\r\n\r\n\n#x\n", [.value("a"), .value(""), .value(""), .value("#x"), .end]),
      (".\n", [.end, .end]), (".\r\n", [.end, .end]), (".", [.end]),
      ("..\n. \n.a\n", [.value(".."), .value(". "), .value(".a"), .end]),
      ("a\nb", [.value("a"), .value("b")]), ("", [.end]),
      ("12345678\r\n123456789\na\n", [.value("12345678"), .tooLong, .value("a"), .end]),
      ("1234567890123456789012345\r\n.\n", [.tooLong, .end, .end]),
      ("123456789", [.tooLong]), ("12345678901234", [.tooLong, .end]),
    ] as [(String, [Part])]
  )
  func lines(_ input: String, _ expected: [Part]) {
    let octets = Array(input.utf8)
    for first in 0...octets.count {
      for second in first...octets.count {
        let pieces = [octets[..<first], octets[first..<second], octets[second...]].map(Array.init)
        let parts = decode(pieces).parts
        // Whether the end of the input cuts a line that was skipped depends on how much is there.
        if input == "123456789" || input == "12345678901234" {
          #expect(parts.filter { $0 != .end } == [.tooLong], "\(first), \(second)")
        } else {
          #expect(parts == expected, "\(first), \(second)")
        }
      }
    }
    #expect(
      decode(octets.map { [$0] }).parts.filter { $0 != .end } == expected.filter { $0 != .end }
    )
  }

  @Test("keeps nothing of a line that is too long")
  func keepsNothing() {
    let piece = [UInt8](repeating: 0x78, count: 1000)
    let result = decode(Array(repeating: piece, count: 50))
    #expect(result.parts == [.tooLong, .end])
    #expect(result.rest.isEmpty)
  }
}
