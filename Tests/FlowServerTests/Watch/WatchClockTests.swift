import Testing

@testable import FlowServer

@Suite("When a watch looks")
struct WatchClockTests {
  @Test("a second is due together with a quarter, also after a look that was late")
  func secondsWithQuarters() {
    var clock = WatchClock()
    var now: Int64 = 10_000_000_000
    var seconds = 0
    for look in 0..<2000 {
      let due = clock.due(at: now)
      if due.isSecond {
        seconds += 1
        #expect(due.isQuarter, "look \(look)")
      }
      now += look == 100 ? 620_000_000 : WatchClock.close
    }
    #expect((38...42).contains(seconds), "\(seconds) in 40 s")
  }
}
