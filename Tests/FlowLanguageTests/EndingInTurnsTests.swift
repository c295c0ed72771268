import FlowCore
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

  /// Takes turns until none is due.
  private func play(_ host: TestHost) {
    var turns = 0
    while host.isTurnDue, turns < 10_000 {
      host.turn()
      turns += 1
    }
  }

  @Test("goes on with all that has begun to end, and with what that ends")
  func nested() {
    let host = TestHost()
    host.timeSlice.beginTurn()
    var ended = 0
    for _ in 0..<5_000 {
      host.timeSlice.inTurns {
        host.timeSlice.inTurns {
          ended += 1
          return false
        }
        return false
      }
    }
    #expect((1..<5_000).contains(ended))
    play(host)
    #expect(ended == 5_000)
  }

  @Test("ends what begins to end behind something else after that")
  func order() {
    let host = TestHost()
    host.timeSlice.beginTurn()
    var ends: [Int] = []
    for (number, parts) in [5_000, 1].enumerated() {
      var left = parts
      host.timeSlice.inTurns {
        ends.append(number)
        left -= 1
        return left > 0
      }
    }
    play(host)
    #expect(ends == Array(repeating: 0, count: 5_000) + [1])
  }

  @Test("ends a few parts of a turn that is over, and all of them when the host ends")
  func atOnce() {
    let host = TestHost()
    host.timeSlice.beginTurn()
    host.timeSlice.endTurn()
    var left = 5_000
    host.timeSlice.inTurns {
      left -= 1
      return left > 0
    }
    #expect((4_000..<5_000).contains(left))
    host.timeSlice.finishEndings()
    #expect(left == 0)
  }

  @Test("cancels the publishers of a flatMap in several turns, and sends nothing of them meanwhile")
  func flatMap() {
    let host = TestHost()
    host.timeSlice.beginTurn()
    let subject = PassthroughSubject<Int, Never>()
    var cancelled = 0
    var values = 0
    let reader = (1...5_000).publisher
      .flatMap { _ in subject.handleEvents(receiveCancel: { cancelled += 1 }) }
      .counting(in: MemoryBudget(timeSlice: host.timeSlice))
      .sink { _ in values += 1 }
    subject.send(1)
    #expect(values == 5_000)
    reader.cancel()
    #expect((1..<5_000).contains(cancelled))
    subject.send(2)
    play(host)
    #expect(cancelled == 5_000 && values == 5_000)
  }
}
