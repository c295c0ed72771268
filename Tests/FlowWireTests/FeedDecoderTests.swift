import FlowWire
import Testing

@Suite("FeedDecoder")
struct FeedDecoderTests {
  /// What a feed is made of, however its bytes come in.
  enum Part: Equatable {
    case value(String)
    case tooLong
    case end
  }

  private func decode(
    _ pieces: [[UInt8]],
    limit: Int = 8,
    batches: Int? = nil
  ) -> (parts: [Part], rest: [UInt8]) {
    let batch = ValueBatch()
    var decoder = FeedDecoder(limit: limit)
    var parts: [Part] = []
    var unread: [UInt8] = []
    for piece in pieces {
      unread += piece
      var offset = 0
      unread.withUnsafeBytes { buffer in
        while true {
          if let batches {
            decoder.next(buffer, &offset, into: batch, limit: batches)
            parts += batch[0..<batch.count].map { .value(String(decoding: $0, as: UTF8.self)) }
            if batch.count > 0 { continue }
          }
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
    "cuts lines until a lone dot, wherever the bytes are split",
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
    let bytes = Array(input.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]].map(Array.init)
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
      decode(bytes.map { [$0] }).parts.filter { $0 != .end } == expected.filter { $0 != .end }
    )
  }

  @Test(
    "takes many lines at a time, up to what is no plain line",
    arguments: [
      "a\nb\n", "a\nb\n.\nc\n", ".\na\n", "a\r\nb\r\n.\r\nc\r\n", "\n\n.\n\n", "a\rb\nc\n",
      "..\n. \n.\n", "123456789\na\n12345678\n", "a\n\r\nb\n.\n.\nc", "a\nbb\n.c\n.\nd\n.\n",
    ],
    [1, 2, 1000]
  )
  func batches(_ input: String, _ size: Int) {
    let bytes = Array(input.utf8)
    for split in 0...bytes.count {
      let pieces = [bytes[..<split], bytes[split...]].map(Array.init)
      #expect(decode(pieces, batches: size).parts == decode(pieces).parts, "\(split)")
    }
  }

  @Test("keeps nothing of a line that is too long")
  func keepsNothing() {
    let piece = [UInt8](repeating: 0x78, count: 1000)
    let result = decode(Array(repeating: piece, count: 50))
    #expect(result.parts == [.tooLong, .end])
    #expect(result.rest.isEmpty)
  }
}
