import FlowTestSupport
import Dispatch
import FlowCore
import Synchronization
import Testing

/// Signals from several threads at once; the thread sanitizer runs these tests, too.
@Suite("Subjects and threads")
struct SubjectThreadTests {
  static let threads = 4
  static let rounds = 2000

  @Test("values from four threads arrive one at a time, each once, each thread's in order")
  func sendsAreSerial() {
    let subject = PassthroughSubject<Int, Never>()
    let overlaps = Overlaps()
    var last = [Int](repeating: -1, count: Self.threads)
    var count = 0
    var isOrdered = true
    let link = subject.sink { value in
      overlaps.during {
        let (thread, round) = (value % Self.threads, value / Self.threads)
        isOrdered = isOrdered && last[thread] == round - 1
        last[thread] = round
        count += 1
      }
    }
    onFourThreads { thread in
      for round in 0..<Self.rounds { subject.send(round * Self.threads + thread) }
    }
    #expect(count == Self.threads * Self.rounds)
    #expect(isOrdered)
    #expect(overlaps.count == 0)
    withExtendedLifetime(link) {}
  }

  @Test("never sends more than demanded, with requests from other threads")
  func demandFromOtherThreads() {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = subject.record(.none)
    let box = Unchecked(recorder)
    onFourThreads { thread in
      for round in 0..<Self.rounds {
        if thread % 2 == 0 { subject.send(round) } else { box.value.request(1) }
      }
    }
    let received = recorder.values.count
    for value in 0..<Self.threads * Self.rounds { subject.send(value) }
    #expect(received <= Self.threads / 2 * Self.rounds)
    #expect(recorder.values.count == Self.threads / 2 * Self.rounds)
  }

  @Test("releases subscribers that come and go while values are sent")
  func comingAndGoing() {
    let subject = PassthroughSubject<Int, Never>()
    let counter = Counted.Counter()
    onFourThreads { thread in
      for round in 0..<Self.rounds / 4 {
        if thread == 0 { subject.send(round) }
        let counted = Counted(counter)
        let link = subject.map { $0 + 1 }.sink { _ in withExtendedLifetime(counted) {} }
        if round % 3 == 0 { subject.send(round) }
        link.cancel()
      }
    }
    subject.send(0)
    #expect(counter.alive.load(ordering: .acquiring) == 0)
  }

  @Test("a completion comes at most once, and last, despite other threads")
  func completionRace() {
    for _ in 0..<50 {
      let subject = CurrentValueSubject<Int, Never>(0)
      let recorders = (0..<8).map { _ in subject.record() }
      let box = Unchecked(recorders)
      onFourThreads { thread in
        switch thread {
        case 0: for value in 1...20 { subject.send(value) }
        case 1: subject.send(completion: .finished)
        case 2: for recorder in box.value.prefix(4) { recorder.cancel() }
        default: for recorder in box.value.suffix(4) { recorder.request(1) }
        }
      }
      for recorder in recorders {
        let ends = recorder.events.indices.filter {
          if case .finished = recorder.events[$0] { true } else { false }
        }
        #expect(ends.isEmpty || ends == [recorder.events.count - 1])
      }
      #expect(recorders.suffix(4).allSatisfy { $0.line.hasSuffix("|") })
    }
  }

  @Test("a request during a delivery gets the newest value")
  func requestsOfABusySubject() {
    let subject = CurrentValueSubject<Int, Never>(0)
    let recorders = (0..<Self.threads).map { _ in subject.record(.none) }
    let box = Unchecked(recorders)
    onFourThreads { thread in
      for round in 1...Self.rounds {
        if thread == 0 { subject.send(round) } else { box.value[thread].request(1) }
      }
    }
    for recorder in recorders.dropFirst() {
      recorder.request(1)
      #expect(recorder.values == recorder.values.sorted())
      #expect(recorder.values.last == Self.rounds)
    }
  }

  @Test(
    "cancelling, requesting and subscribing do not wait for a delivery",
    .timeLimit(.minutes(10))
  )
  func nothingWaitsForADelivery() {
    let subject = PassthroughSubject<Int, Never>()
    let entered = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let blocked = subject.record(.max(1)) { _, _ in
      entered.signal()
      #expect(done.wait(timeout: Patience.deadline) == .success, "waited for the other thread")
      return .none
    }
    let other = subject.record()
    let box = Unchecked((blocked, other))
    let late = Guarded<Unchecked<SignalLog<Int, Never>>?>(nil)
    onFourThreads { thread in
      switch thread {
      case 0: subject.send(1)
      case 1:
        #expect(entered.wait(timeout: Patience.deadline) == .success, "waited for a delivery")
        box.value.1.cancel()
        box.value.0.request(1)
        let recorder = Unchecked(subject.record())
        late.withLock { $0 = recorder }
        done.signal()
      default: break
      }
    }
    done.signal()
    subject.send(2)
    #expect(blocked.values == [1, 2])
    #expect(other.values == [])
    #expect(late.withLock { $0?.value.values } == [2])
  }
}
