import Dispatch
import FlowCore
import FlowTestSupport
import Testing

@Suite("Publishers and threads", .timeLimit(.minutes(10)))
struct ThreadTests {
  private let clock = VirtualTimeScheduler()
  private let subject = PassthroughSubject<Int, Oops>()

  private final class Model: ObservableObject {
    @Published var count = 0
  }

  @Test("a sequence that several threads request sends each element once, in order")
  func sequence() {
    let log = (0..<4000).publisher.record(.none)
    let box = Unchecked(log)
    onFourThreads { _ in for _ in 0..<1000 { box.value.request(1) } }
    #expect(log.values == Array(0..<4000))
    #expect(log.line.hasSuffix("|"))
  }

  @Test("a future that several threads fulfil has one value for all subscribers")
  func future() {
    for _ in 0..<100 {
      var keep: Future<Int, Never>.Promise?
      let future = Future<Int, Never> { keep = $0 }
      let logs = (0..<4).map { _ in future.record(.none) }
      let box = Unchecked((keep, logs))
      onFourThreads { thread in
        box.value.0?(.success(thread))
        box.value.1[thread].request(1)
      }
      let line = future.line()
      #expect(logs.allSatisfy { $0.line == line })
    }
  }

  @Test("a task may fulfil the promise of a future")
  func promiseInATask() async {
    let future = Future<Int, Never> { promise in
      Task.detached { @Sendable in promise(.success(1)) }
    }
    #expect(await future.value == 1)
  }

  @Test("an AnyCancellable that several threads cancel runs its closure once")
  func cancellable() {
    for _ in 0..<200 {
      let counter = Counted.Counter()
      let witness = Counted(counter)
      let box = Unchecked(AnyCancellable { [witness] in witness.count() })
      onFourThreads { _ in box.value.cancel() }
      #expect(witness.counts == 1)
    }
  }

  @Test("a published property may be set from several threads")
  func published() async {
    let model = Unchecked(Model())
    let counted = Guarded(0)
    let subscription = model.value.$count.sink { _ in counted.withLock { $0 += 1 } }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { for value in 0..<500 { model.value.count = value } }
      }
    }
    #expect(counted.withLock { $0 } == 2001)
    subscription.cancel()
  }

  @Test("a ReplaySubject sends each subscriber everything in order, from several threads")
  func replay() async {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 10_000)
    let recorders = (0..<4).map { _ in RecordingSubscriber<Int, TestError>(.unlimited) }
    let shared = Unchecked(recorders)
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for value in 0..<250 { subject.send(thread * 1000 + value) }
        }
        group.addTask { subject.subscribe(shared.value[thread]) }
      }
    }
    subject.send(completion: .finished)
    for recorder in recorders {
      #expect(recorder.values == recorders[0].values)
      #expect(recorder.values.count == 1000)
      #expect(recorder.isFinished)
      #expect(recorder.violations == [])
    }
  }

  @Test("delay on a queue delays every value and keeps their order")
  func delay() throws {
    let queue = DispatchQueue(label: "delay")
    let values = Guarded<[Int]>([])
    let early = Guarded(0)
    let sent = Guarded<[DispatchTime]>([])
    let isFinished = Guarded(false)
    let delayed = subject.delay(for: .milliseconds(10), scheduler: queue)
    let subscription = delayed.sink { _ in
      isFinished.withLock { $0 = true }
    } receiveValue: { value in
      values.withLock { $0.append(value) }
      let time = sent.withLock { $0[value] }
      if DispatchTime.now() < time + .milliseconds(10) { early.withLock { $0 += 1 } }
    }
    for value in 0..<2000 {
      sent.withLock { $0.append(.now()) }
      subject.send(value)
    }
    subject.send(completion: .finished)
    try Patience.wait(for: "the completion") { isFinished.withLock { $0 } }
    subscription.cancel()
    #expect(values.withLock { $0 } == Array(0..<2000))
    #expect(early.withLock { $0 } == 0)
  }

  @Test("debounce on a queue waits after the last value")
  func debounce() throws {
    let queue = DispatchQueue(label: "debounce")
    let sent = Guarded<[Int]>([])
    let debounced = subject.assertNoFailure().debounce(for: .milliseconds(20), scheduler: queue)
    let subscription = debounced.sink { value in sent.withLock { $0.append(value) } }
    // The queue is busy for longer than the interval, so that the timer cannot fire in between.
    queue.sync {
      let end = DispatchTime.now() + .milliseconds(30)
      var value = 0
      while DispatchTime.now() < end {
        value += 1
        subject.send(value)
      }
      subject.send(-1)
    }
    try Patience.wait(for: "a value") { sent.withLock { !$0.isEmpty } }
    subscription.cancel()
    #expect(sent.withLock { $0 } == [-1])
  }

  @Test("1.2, 1.3: timeout on a concurrent scheduler keeps values serial and in order")
  func timeout() {
    for _ in 0..<20 {
      let scheduler = Concurrent(clock: clock)
      let recorder = RecordingSubscriber<Int, Oops>()
      subject.timeout(60, scheduler: scheduler).subscribe(recorder)
      for value in 1...200 { subject.send(value) }
      scheduler.runAtOnce()
      #expect(recorder.values == Array(1...200))
      #expect(recorder.violations == [])
      recorder.cancel()
    }
  }
}

/// A scheduler that collects immediate actions until `runAtOnce`; its timers never fire.
private struct Concurrent: Scheduler {
  typealias SchedulerTimeType = VirtualTimeScheduler.SchedulerTimeType
  typealias SchedulerOptions = VirtualTimeScheduler.SchedulerOptions

  let clock: VirtualTimeScheduler
  let actions = Guarded<[() -> Void]>([])

  var now: SchedulerTimeType { clock.now }
  var minimumTolerance: SchedulerTimeType.Stride { clock.minimumTolerance }

  func runAtOnce() {
    let due = Unchecked(actions.withLock { $0 })
    DispatchQueue.concurrentPerform(iterations: due.value.count) { due.value[$0]() }
  }

  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    actions.withLock { $0.append(action) }
  }

  func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {}

  func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable { Subscriptions.empty }
}
