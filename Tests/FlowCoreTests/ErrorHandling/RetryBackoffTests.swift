import FlowCore
import FlowTestSupport
import Testing

@Suite("retry with a delay")
struct RetryBackoffTests {
  typealias Stride = VirtualTimeScheduler.SchedulerTimeType.Stride
  let clock = VirtualTimeScheduler()

  @Test("waits before each retry, and fails at once after the last")
  func delay() {
    var tries: [Int64] = []
    let source = Deferred {
      tries.append(clock.now.nanoseconds / 1_000_000_000)
      return Fail<Int, TestError>(error: TestError())
    }
    let subscriber = RecordingSubscriber<Int, TestError>()
    source.retry(2, delay: 5, scheduler: clock).subscribe(subscriber)
    clock.run()
    #expect(tries == [0, 5, 10])
    #expect(subscriber.failure == TestError())
  }

  @Test("waits grow up to the limit")
  func backoff() {
    let growing = RetryBackoff<Stride>.exponential(from: 1, factor: 3, upTo: 20)
    #expect((1...5).map { growing.wait($0) } == [1, 3, 9, 20, 20])
    let constant = RetryBackoff<Stride>.constant(2)
    #expect((1...3).map { constant.wait($0) } == [2, 2, 2])
    let long = RetryBackoff<Stride>.exponential(from: 1, upTo: .nanoseconds(.max))
    #expect(long.wait(.max) == .nanoseconds(.max))
  }

  @Test(
    "a wait is worked out in no time, whatever its numbers are",
    arguments: [
      (0, Int.max, 1, 0), (0, .max, .max, 0), (1, .max, 1, 1), (1, .max, 2, 2),
      (1, .max - 1, .max, .max - 1), (2, .max / 2 + 1, .max, .max), (3, 1000, 2000, 2000),
      (.max, .max, .max, .max), (5, 3, 0, 0), (-1, 3, 5, -1),
    ]
  )
  func edges(first: Int, factor: Int, limit: Int, wait: Int) {
    let backoff = RetryBackoff<Stride>.exponential(
      from: .nanoseconds(first),
      factor: factor,
      upTo: .nanoseconds(limit)
    )
    #expect(backoff.wait(2) == .nanoseconds(wait))
  }

  @Test("demand that is not met, and what is asked for during the wait, goes to the next try")
  func demand() {
    let source = ProbePublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>(.max(3))
    source.retry(1, backoff: .exponential(from: 1, upTo: 8), scheduler: clock)
      .subscribe(subscriber)
    source.send(1)
    source.send(completion: .failure(TestError()))
    subscriber.request(.max(4))
    #expect(source.subscriptions == 1)
    clock.run()
    #expect(source.subscriptions == 2)
    #expect(source.requests.last == .max(6))
  }

  @Test("a retry that is cancelled during the wait never comes")
  func cancel() {
    let source = ProbePublisher<Int, TestError>()
    let subscriber = RecordingSubscriber<Int, TestError>()
    source.retry(-1, delay: 1, scheduler: clock).subscribe(subscriber)
    source.send(completion: .failure(TestError()))
    subscriber.cancel()
    clock.run()
    #expect(source.subscriptions == 1)
    #expect(subscriber.completions.isEmpty)
  }
}
