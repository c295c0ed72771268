import FlowWire
import Testing

@Suite("ValueBatch")
struct ValueBatchTests {
  /// The payloads of stream 1 in `text`, taken in batches of at most `limit` where that is possible.
  private func payloads(_ text: String, limit: Int, valueLimit: Int = 100) -> [String] {
    var decoder = FrameDecoder(limits: FrameLimits(line: 100, value: valueLimit))
    let batch = ValueBatch()
    var found: [String] = []
    Array(text.utf8).withUnsafeBytes { buffer in
      var offset = 0
      while true {
        let start = offset
        switch decoder.next(buffer, &offset) {
        case .value(let id, let payload):
          found.append("\(id) \(String(decoding: buffer[payload], as: UTF8.self))")
          guard limit > 0 else { continue }
          repeat {
            decoder.next(
              like: (start, payload.lowerBound),
              in: buffer,
              &offset,
              into: batch,
              limit: limit
            )
            let more = batch[0..<batch.count].map { String(decoding: $0, as: UTF8.self) }
            found += more.map { "\(id) \($0)" }
            #expect(batch.count <= limit)
            #expect(batch.largest == (more.map(\.utf8.count).max() ?? 0))
            #expect(batch.bytes == more.reduce(0) { $0 + $1.utf8.count })
          } while batch.count > 0
        case .incomplete: return
        case let other: found.append("\(other)".prefix { $0 != "(" }.description)
        }
      }
    }
    return found
  }

  @Test(
    "takes what one value after the other would be",
    arguments: [
      "= 1 a\n= 1 b\n= 1 \n= 1 c\r\n= 1\n= 1 d\nPING\n= 1 e\n= 1 half",
      "= 1 a\n= 12 b\n= 1 c\n= 2 d\n= 2 e\n=1 f\n= 1  g\n= 1.2 h\n= 1 i\n",
      "= 1 a\n= 1 b\rc\n= 1 d\r\r\n= 1 \r\n= 1 e\n\n# x\n= 1 f\n: 1 1\nx\n= 1 g\n",
      "= 1 a\r\n= 1 b\r\n= 1 c\r\n= 1 d\r\n", "= 7\n= 7\n= 7 x\n= 7\n= 7 y\n= 7 z\n", "= 1 a\n=",
    ],
    [1, 2, 3, 1000]
  )
  func same(text: String, limit: Int) {
    #expect(payloads(text, limit: limit) == payloads(text, limit: 0))
  }

  @Test("leaves a value that is too long to be refused")
  func tooLong() {
    let text = "= 1 a\n= 1 \(String(repeating: "x", count: 30))\n= 1 b\n"
    #expect(payloads(text, limit: 9, valueLimit: 20) == payloads(text, limit: 0, valueLimit: 20))
    #expect(payloads(text, limit: 9, valueLimit: 20) == ["1 a", "refused", "1 b"])
  }

  @Test("finds CRs over long stretches, wherever they are")
  func long() {
    for place in stride(from: 0, to: 3000, by: 97) {
      let text = (0..<3000).map {
        "= 1 \($0)\($0 == place ? "\r!" : "")\($0 % 7 == 0 ? "\r" : "")\n"
      }
      .joined()
      #expect(payloads(text, limit: 5000) == payloads(text, limit: 0))
    }
  }

  @Test("makes lines for a prefix once, and anew for another")
  func lines() {
    var decoder = FrameDecoder()
    let batch = ValueBatch()
    Array("= 1 x\n= 1 a\n= 1 bc\n= 1 \n".utf8).withUnsafeBytes { buffer in
      var offset = 0
      _ = decoder.next(buffer, &offset)
      decoder.next(like: (0, 4), in: buffer, &offset, into: batch, limit: 9)
      func text(_ id: UInt64) -> String {
        let prefix = StreamPrefix(StreamID(rawValue: id))
        return String(decoding: batch.lines(after: prefix), as: UTF8.self)
      }
      #expect(text(1) == "= 1 a\n= 1 bc\n= 1 \n")
      #expect(text(1) == "= 1 a\n= 1 bc\n= 1 \n")
      #expect(text(2) == "= 2 a\n= 2 bc\n= 2 \n")
      #expect(text(123) == "= 123 a\n= 123 bc\n= 123 \n")
      #expect(String(decoding: batch.lines(after: StreamPrefix()), as: UTF8.self) == "a\nbc\n\n")
    }
  }
}
