import Testing

@testable import FlowLanguage

@Suite("Ending in turns")
struct EndingInTurnsTests {
  @Test("goes on in later turns until nothing is left")
  func turns() {
    let host = TestHost()
    host.timeSlice.beginTurn()
    let parts = 10_000
    var left = parts
    host.timeSlice.inTurns {
      left -= 1
      return left > 0
    }
    #expect((1..<parts).contains(left))
    var turns = 0
    while host.isTurnDue, turns < parts {
      let before = left
      host.turn()
      #expect(left < before)
      turns += 1
    }
    #expect(left == 0 && turns > 1)
  }
}
