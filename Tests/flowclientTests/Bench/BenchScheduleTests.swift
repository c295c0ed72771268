import Testing

@testable import flowclient

@Suite("schedule of a bench")
struct BenchScheduleTests {
  @Test("each phase has its time, and running has what it is given")
  func deadlines() {
    var schedule = BenchSchedule()
    #expect(schedule.phase == .opening && schedule.next(nil) == nil)
    schedule.extend(from: 5)
    #expect(schedule.next(nil) == 30_000_000_005)
    schedule.enter(.running, at: 7)
    #expect(schedule.next(nil) == nil)
    schedule.run(until: 99)
    #expect(schedule.deadline == 99)
    schedule.stop(at: 50)
    #expect(schedule.isStopped && schedule.deadline == 10_000_000_050)
    schedule.enter(.draining, at: 60)
    #expect(schedule.deadline == 2_000_000_060)
    schedule.enter(.ended, at: 70)
    #expect(schedule.next(Pacing(start: 0, senders: 1, rate: 1)) == nil)
  }

  @Test("values become due until it is stopped, sleepers wake while it runs")
  func running() {
    let pacing = Pacing(start: 500, senders: 1, rate: 1)
    var schedule = BenchSchedule()
    schedule.sleeps(until: 900)
    schedule.sleeps(until: 800)
    #expect(schedule.next(pacing) == nil)
    schedule.enter(.running, at: 0)
    schedule.run(until: 1000)
    #expect(schedule.next(pacing) == 500)
    #expect(schedule.next(nil) == 800)
    #expect([799, 800, 1000].map { schedule.wakes(at: $0) } == [false, true, false])
    schedule.stop(at: 0)
    #expect(schedule.next(pacing) == 10_000_000_000)
  }
}
