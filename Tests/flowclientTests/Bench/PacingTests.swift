import Testing

@testable import flowclient

@Suite("pacing")
struct PacingTests {
  @Test("values are due at equal distances, the senders in turn")
  func due() {
    let pacing = Pacing(start: 1_000_000, senders: 3, rate: 1000)
    #expect((0..<4).map { pacing.due($0) } == [1_000_000, 2_000_000, 3_000_000, 4_000_000])
    #expect(pacing.due(0, of: 2) == 3_000_000)
    #expect(pacing.due(2, of: 1) == 8_000_000)
  }

  @Test("as many are due as have their time behind them")
  func count() {
    let pacing = Pacing(start: 500, senders: 2, rate: 1_000_000)
    #expect(pacing.count(at: 0) == 0)
    #expect(pacing.count(at: 499) == 0)
    #expect(pacing.count(at: 500) == 1)
    #expect(pacing.count(at: 1499) == 1)
    #expect(pacing.count(at: 1500) == 2)
    #expect(pacing.count(at: 1_000_000_500) == 1_000_001)
  }

  @Test("counts and times agree for odd rates", arguments: [0.3, 7, 333.3, 49_999, 3_333_333])
  func agree(_ rate: Double) {
    let pacing = Pacing(start: 12_345, senders: 5, rate: rate)
    for number: UInt64 in [0, 1, 2, 99, 100_003, 10_000_019] {
      let due = pacing.due(number)
      #expect(pacing.count(at: due) == number + 1)
      #expect(pacing.count(at: due - 1) == number)
    }
  }

  @Test("the shares of the senders are the whole")
  func shares() {
    let pacing = Pacing(start: 0, senders: 3, rate: 1)
    #expect((0..<3).map { pacing.share(of: $0, in: 0) } == [0, 0, 0])
    #expect((0..<3).map { pacing.share(of: $0, in: 7) } == [3, 2, 2])
    #expect((0..<3).map { pacing.share(of: $0, in: 9) } == [3, 3, 3])
  }

  @Test("each value becomes due once")
  func advance() {
    var pacing = Pacing(start: 1000, senders: 2, rate: 1_000_000)
    #expect(pacing.nextDue == 1000)
    let due = [999, 3500, 3999, 4000].map { pacing.advance(to: $0) }
    #expect(due == [0..<0, 0..<3, 3..<3, 3..<4])
    #expect(pacing.passed == 4 && pacing.nextDue == 5000)
  }

  @Test("a sender that was held up catches up without moving what comes later")
  func catchesUp() {
    let pacing = Pacing(start: 0, senders: 1, rate: 1000)
    // Nothing was sent for 50 ms: 51 values are due, the last of them now.
    #expect(pacing.share(of: 0, in: pacing.count(at: 50_000_000)) == 51)
    #expect(pacing.due(50, of: 0) == 50_000_000)
    #expect(pacing.due(51, of: 0) == 51_000_000)
  }
}
