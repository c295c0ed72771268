import Testing

@testable import FlowServerMain

@Suite("The watch over turns")
struct TurnWatchTests {
  private typealias Look = (turn: UInt64?, began: Double, now: Double)

  private func findings(_ looks: [Look]) -> [TurnWatch.Finding?] {
    var watch = TurnWatch()
    return looks.map { look in
      watch.examine(look.turn, began: UInt64(look.began * 1e9), now: UInt64(look.now * 1e9))
    }
  }

  @Test("a turn of more than a second is told once, and its end")
  func long() {
    #expect(
      findings([
        (nil, 0, 10), (3, 10.1, 10.25), (3, 10.1, 10.5), (3, 10.1, 10.75), (3, 10.1, 11.05),
        (3, 10.1, 11.11), (3, 10.1, 11.2), (nil, 0, 11.45), (nil, 0, 11.7),
      ]) == [nil, nil, nil, nil, nil, .long, nil, .ended, nil]
    )
  }

  @Test("many short turns are none")
  func short() {
    let looks = (1...40).map { number -> Look in
      let began = Double(number) * 0.25
      return (UInt64(number), began, began + 0.2)
    }
    #expect(findings(looks).allSatisfy { $0 == nil })
  }

  @Test("looks come closer when a turn is about to be long")
  func pause() {
    var watch = TurnWatch()
    _ = watch.examine(3, began: 0, now: 100_000_000)
    #expect(watch.pause == TurnWatch.usualPause)
    _ = watch.examine(3, began: 0, now: 600_000_000)
    #expect(watch.pause == TurnWatch.shortPause)
    _ = watch.examine(nil, now: 700_000_000)
    #expect(watch.pause == TurnWatch.usualPause)
  }

  @Test("time in which nobody looked, as the process was stopped, is not the turn's")
  func stopped() {
    #expect(
      findings([
        (3, 10, 10.1), (3, 10, 60), (3, 10, 60.3), (3, 10, 60.6), (3, 10, 60.8), (3, 10, 61.2),
      ]) == [nil, nil, nil, nil, .long, nil]
    )
  }
}
