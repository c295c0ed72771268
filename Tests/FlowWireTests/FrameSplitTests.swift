import FlowTestSupport
import FlowWire
import Testing

@Suite("FrameDecoder, however the bytes come in")
struct FrameSplitTests {
  private static let limits = FrameLimits(line: 24, value: 40, skip: 80)

  /// Every kind of frame, at its limits and beyond.
  static let inputs: [String] = [
    "PING\r\nSEND a 1\n\n# x\r\n= 1 hello\r\n@t REQ 1 2\n",
    ": 1 5\nhello\n: 22 6\r\nhe\r\nlo\r\n: 3 0\r\n\r\nPING\n",
    ": 1 4\n\r\n\r\n\r\n: 2 2\n: \n= 3\n",
    String(repeating: "x", count: 24) + "\r\nPING\n",
    String(repeating: "x", count: 25) + "\r\nPING\n",
    String(repeating: "\r", count: 25) + "\n" + String(repeating: "\r", count: 26) + "\nPING\n",
    "= 5.1 hello\r\n= 5.17\n: 5.2 3\na\nb\r\nREQ 5.1 1\n= 5. x\n= 5.x 1\n: 5.0 1\nx\nPING\n",
    "= 5.1 " + String(repeating: "y", count: 40) + "\r\nPING\n",
    "= 5.1 " + String(repeating: "y", count: 41) + "\r\nPING\n",
    "= 1 " + String(repeating: "y", count: 40) + "\r\nPING\n",
    "= 1 " + String(repeating: "y", count: 41) + "\r\nPING\n",
    "SEND abc " + String(repeating: "z", count: 40) + "\r\nPING\n",
    "@t SEND abc " + String(repeating: "z", count: 41) + "\r\nPING\n",
    "= x y\n: x 3\nabc\nPING\n",
    ": 5 41\n" + String(repeating: "\n", count: 41) + "\r\nPING\n",
    ": 5 41\n" + String(repeating: "\n", count: 41) + "\rPING\n",
    ": 1 5\nhello PING\n",
    ": 1 5\nhello\r\n",
    "PING\n: 1 81\n",
  ]

  @Test("gives the same frames one byte at a time and all at once", arguments: inputs)
  func byteByByte(_ input: String) {
    let bytes = Array(input.utf8)
    let whole = decode([bytes], limits: Self.limits)
    #expect(!whole.isEmpty)
    #expect(decode(bytes.map { [$0] }, limits: Self.limits) == whole)
  }

  @Test("gives the same frames split anywhere in two, and in three", arguments: inputs)
  func everySplit(_ input: String) {
    let bytes = Array(input.utf8)
    let whole = decode([bytes], limits: Self.limits)
    for first in bytes.indices {
      for second in first..<bytes.count {
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
        #expect(decode(pieces, limits: Self.limits) == whole, "\(first), \(second)")
      }
    }
  }

  /// Bytes that look enough like the protocol to reach every branch.
  private func noise(_ generator: inout SeededGenerator) -> [UInt8] {
    let words = [
      "\n", "\r\n", "\r", " ", "= ", "= 5.1 ", ": 5.1 2\nab\n", ".", "5.17", "= 1 ", ": ", ": 1 ",
      ": 1 3\nabc\n", ": 2 45\n", "SEND ",
      "SEND a ", "@t ", "PING\n", "1", "12", "x", "xyz", "\u{0}", "é", "=", ":", "#", "90071992547",
    ]
    return (0..<Int.random(in: 1...60, using: &generator)).flatMap { _ in
      if Int.random(in: 0..<8, using: &generator) == 0 {
        return [UInt8.random(in: 0...255, using: &generator)]
      }
      return Array((words.randomElement(using: &generator) ?? "").utf8)
    }
  }

  @Test("makes progress on any bytes, and the same whatever the pieces", arguments: 1...20)
  func fuzz(_ seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<RandomCases.count(200) {
      let bytes = noise(&generator)
      var whole = Reading(limits: Self.limits)
      whole.receive(bytes)
      #expect(whole.madeProgress)
      var pieces = Reading(limits: Self.limits)
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Int.random(in: 0...min(9, rest.count), using: &generator)
        pieces.receive(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(pieces.frames == whole.frames, "seed \(seed): \(bytes)")
      #expect(pieces.mostKept <= 64 + Self.limits.value + 4)
    }
  }

  @Test("an untagged SEND is read as the command line reads it", arguments: 1...5)
  func sendsAgree(_ seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    for _ in 0..<RandomCases.count(500) {
      let line = "SEND " + String(decoding: noise(&generator), as: UTF8.self)
      let command = try? TaggedCommand(line.filter { !$0.isNewline })
      for case .send(let name, let value) in decode(line.filter { !$0.isNewline } + "\n") {
        #expect(command?.command == .send(name: name, value: value))
      }
    }
  }
}
