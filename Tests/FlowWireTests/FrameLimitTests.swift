import FlowWire
import Testing

@Suite("FrameDecoder limits")
struct FrameLimitTests {
  private let small = FrameLimits(line: 16, value: 32, skip: 64)

  private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test(
    "refuses what is longer than it may be, skips it and goes on",
    arguments: [
      ("line", 16, 17, ErrorCode.lineTooLong),
      ("@t PING ", 8, 9, .lineTooLong),
      ("= 1 ", 32, 33, .valueTooLong),
      ("SEND ab ", 32, 33, .valueTooLong),
      ("  @t send ab ", 32, 33, .valueTooLong),
      // Where the text would begin lies beyond a line's limit: not a value.
      ("SEND           ab ", 0, 1, .lineTooLong),
      ("= 0000000000001 ", 32, 33, .valueTooLong),
    ]
  )
  func tooLong(_ prefix: String, _ most: Int, _ tooMany: Int, _ code: ErrorCode) {
    let prefix = prefix == "line" ? "" : prefix
    for lineEnd in ["\n", "\r\n"] {
      let refused = decode(prefix + text(tooMany) + lineEnd + "PING\n", limits: small)
      #expect(refused == [.refused(code), .line("PING")])
      guard most > 0 else { continue }
      let taken = decode(prefix + text(most) + lineEnd + "PING\n", limits: small)
      #expect(taken.count == 2 && taken.last == .line("PING"))
      #expect(!taken.contains(.refused(code)))
    }
  }

  @Test("takes a counted value of the largest size, and skips a larger one")
  func countedValues() {
    #expect(decode(": 1 32\n\(text(32))\n", limits: small) == [.value(1, text(32))])
    #expect(
      decode(": 1 33\n\(text(20))\n\(text(12))\nPING\n", limits: small)
        == [.refused(.valueTooLong), .line("PING")]
    )
    #expect(decode(": 1 64\n\(text(64))\r\n", limits: small) == [.refused(.valueTooLong)])
    #expect(
      decode(": 1 64\n\(text(64))!\nPING\n", limits: small) == [.refused(.valueTooLong), .broken]
    )
    #expect(decode(": 1 65\n\(text(65))\n", limits: small) == [.broken])
  }

  @Test("a value may be shorter than a line")
  func valueLimitBelowLineLimit() {
    let limits = FrameLimits(line: 64, value: 4, skip: 64)
    let input = "= 1 12345\nSEND a 12345\n@t SEND a 12345\n= 1 1234\n\(text(64))\n"
    let refused = DecodedFrame.refused(.valueTooLong)
    #expect(
      decode(input, limits: limits)
        == [refused, refused, refused, .value(1, "1234"), .line(text(64))]
    )
  }

  @Test("a line of 10 MB is refused once, at once, and never kept")
  func hugeLine() {
    var reading = Reading()
    let block = [UInt8](repeating: 0x78, count: 65_536)
    reading.receive(block)
    reading.receive(block)
    #expect(reading.frames == [.refused(.lineTooLong)])
    for _ in 0..<158 { reading.receive(block) }
    reading.receive(Array("\nPING\n".utf8))
    #expect(reading.frames == [.refused(.lineTooLong), .line("PING")])
    #expect(reading.mostKept == 65_536)
  }

  @Test("a counted value of 10 MB is skipped without being kept")
  func hugeValue() {
    var reading = Reading()
    reading.receive(Array(": 4 10485760\n".utf8))
    #expect(reading.frames == [.refused(.valueTooLong)])
    let block = [UInt8](repeating: 0x0A, count: 65_536)
    for _ in 0..<160 { reading.receive(block) }
    reading.receive(Array("\nPING\n".utf8))
    #expect(reading.frames == [.refused(.valueTooLong), .line("PING")])
    #expect(reading.mostKept == 0)
  }

  @Test("a value of a whole mebibyte comes through in one piece, whichever way it is sent")
  func largestValue() {
    let payload = text(1_048_576)
    for header in ["= 1 ", ": 1 1048576\n"] {
      let input = Array((header + payload + "\r\n").utf8)
      let pieces = stride(from: 0, to: input.count, by: 65_536).map {
        input[$0..<min($0 + 65_536, input.count)]
      }
      #expect(decode(pieces) == [.value(1, payload)])
    }
  }
}
