import Testing

@testable import flowclient

@Suite("sequence numbers")
struct SequenceCheckTests {
  private func check(_ numbers: [UInt32], first: UInt64 = 0) -> SequenceCheck {
    var check = SequenceCheck(first: first)
    for number in numbers { check.receive(number) }
    return check
  }

  @Test(
    "each number is in order, missing, duplicated or reordered",
    arguments: [
      // numbers, received, missing, duplicated, reordered
      ([0, 1, 2, 3], [4, 0, 0, 0]),
      ([], [0, 0, 0, 0]),
      ([2], [1, 2, 0, 0]),
      ([0, 3, 4], [3, 2, 0, 0]),
      ([0, 0], [1, 0, 1, 0]),
      ([0, 2, 1], [3, 0, 0, 1]),
      ([0, 2, 1, 1], [3, 0, 1, 1]),
      ([0, 5, 3, 1, 4, 2], [6, 0, 0, 4]),
      ([0, 5, 3, 3], [3, 3, 1, 1]),
      ([0, 2, 4, 6, 3], [5, 2, 0, 1]),
    ]
  )
  func kinds(_ numbers: [UInt32], _ expected: [UInt64]) {
    let check = check(numbers)
    #expect([check.received, check.missing, check.duplicated, check.reordered] == expected)
  }

  @Test("numbers go on past 32 bits")
  func wraps() {
    let check = check([.max - 1, .max, 0, 1, 3], first: 1 << 32 - 2)
    #expect(check.received == 5)
    #expect(check.missing == 1)
    #expect(check.next == 1 << 32 + 4)
  }

  @Test("a run in order is the same as its numbers")
  func advance() {
    var check = SequenceCheck()
    check.advance(by: 1000)
    check.receive(1000)
    #expect(check == self.check((0...1000).map { $0 }))
  }

  @Test("gaps are remembered up to a limit; all of them stay missing")
  func manyGaps() {
    var check = check((0..<2000).map { $0 * 2 })
    #expect(check.missing == 1999)
    check.receive(3997)
    #expect((check.missing, check.reordered) == (1998, 1))
    check.receive(1)
    #expect((check.missing, check.duplicated) == (1998, 1))
  }

  @Test("senders are told apart, and each has its own beginning")
  func senders() {
    var early = SequenceChecks(startsAtZero: true)
    var late = SequenceChecks(startsAtZero: false)
    for (sender, number) in [(7, 2), (9, 0), (7, 3), (7, 4), (9, 1), (9, 3)] as [(UInt32, UInt32)] {
      early.receive(number, of: sender)
      late.receive(number, of: sender)
    }
    #expect((early.received, early.missing) == (6, 3))
    #expect((late.received, late.missing) == (6, 1))
    #expect((late.sender, late.expected) == (9, 4))
    late.advance(by: 2)
    late.receive(5, of: 9)
    #expect((late.received, late.duplicated) == (8, 1))
  }
}

@Suite("values of a bench")
struct BenchValueTests {
  private func bytes(of value: BenchValue, size: Int) -> [UInt8] {
    var payload = [UInt8](repeating: UInt8(ascii: "."), count: size)
    payload.withUnsafeMutableBytes { bytes in
      if let base = bytes.baseAddress { value.write(to: base, size: size) }
    }
    return payload
  }

  @Test("are read as they were written", arguments: [16, 20, 23, 24, 128])
  func roundTrip(_ size: Int) {
    let pairs: [(UInt32, UInt32)] = [(0, 0), (1 << 24 - 1, .max), (0xABCDEF, 0x1234_5678)]
    for (sender, number) in pairs {
      let due = BenchTime(nanoseconds: 1_700_000_000_123_456_789 + UInt64(number))
      let lateness: UInt64 = size >= 24 ? 987_654_321 : 0
      let value = BenchValue(sender: sender, number: number, due: due, lateness: lateness)
      let bytes = bytes(of: value, size: size)
      #expect(bytes.allSatisfy { $0 > 32 && $0 < 127 && $0 != 34 })
      #expect(bytes.withUnsafeBytes { BenchValue($0) } == value)
    }
  }

  @Test("others are not taken for one")
  func foreign() {
    let good = bytes(of: BenchValue(sender: 1, number: 2, due: BenchTime(ticks: 3)), size: 24)
    #expect(good.prefix(15).withUnsafeBytes { BenchValue($0) } == nil)
    for index in good.indices {
      for byte: UInt8 in [0, 0x20, 0x2F, 0x70, 0x7F, 0x80, 0xF0, 0xFF] {
        var bad = good
        bad[index] = byte
        #expect(bad.withUnsafeBytes { BenchValue($0) } == nil, "\(byte) at \(index)")
      }
    }
  }

  @Test("times differ rightly over the end of their range, in both directions")
  func times() {
    let early = BenchTime(nanoseconds: (1 << 44) - 160)
    let late = BenchTime(nanoseconds: (1 << 44) + 1600)
    #expect(late.since(early) == 1760)
    #expect(early.since(late) == -1760)
  }
}
