import FlowCore
import FlowTestSupport
import Testing

@Suite("retry with a delay, concatMap, removeDuplicates by key")
struct RetryAfterTests {
  let clock = VirtualTimeScheduler()

  @Test("subscribes again after the delay, and carries demand over")
  func delays() {
    let probe = ProbePublisher<Int, Oops>()
    let log = probe.retry(2, delay: 3, scheduler: clock).record(.max(2))
    _ = probe.send(1)
    probe.send(completion: .failure(Oops()))
    clock.advance(by: 2)
    #expect(probe.subscriptions == 1)
    clock.advance(by: 1)
    #expect(probe.subscriptions == 2)
    #expect(probe.requests == [.max(2), .max(1)])
    probe.send(completion: .failure(Oops()))
    clock.advance(by: 3)
    probe.send(completion: .failure(Oops()))
    #expect(probe.subscriptions == 3)
    #expect(log.line.hasPrefix("Retry 1 ✕"))
    #expect(clock.nextDeadline == nil)
  }

  @Test("a cancellation ends the wait")
  func cancelled() {
    let probe = ProbePublisher<Int, Oops>()
    let log = probe.retry(2, delay: 3, scheduler: clock).record()
    probe.send(completion: .failure(Oops()))
    log.cancel()
    #expect(clock.nextDeadline == nil)
    clock.run()
    #expect(probe.subscriptions == 1)
  }

  @Test("waits exponentially longer, up to the limit")
  func backsOff() {
    let backoff = RetryBackoff<VirtualTimeScheduler.SchedulerTimeType.Stride>
      .exponential(from: 2, factor: 3, upTo: 20)
    #expect((1...5).map(backoff.wait) == [2, 6, 18, 20, 20])
    #expect(backoff.wait(.max) == 20)
  }

  @Test("concatMap runs one publisher at a time")
  func concatMap() {
    #expect(
      play("12--|") { source, clock in
        source.buffer(size: 8, prefetch: .keepFull, whenFull: .dropNewest).concatMap {
          [$0, $0].publisher.delay(for: 2, scheduler: clock)
        }
      } == "--(11)-(22|)"
    )
  }

  @Test("removeDuplicates(by:) compares keys")
  func byKey() {
    #expect([1, 11, 2, 12, 1].publisher.removeDuplicates { $0 % 10 }.record().values == [1, 2, 1])
    let words = ["a", "b", "cc", "dd", "e"].publisher.removeDuplicates(by: \.count)
    #expect(words.record().values == ["a", "cc", "e"])
  }
}
