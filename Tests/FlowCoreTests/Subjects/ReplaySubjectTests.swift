import FlowCore
import FlowTestSupport
import Testing

@Suite("ReplaySubject")
struct ReplaySubjectTests {
  let subject = ReplaySubject<Int, TestError>(bufferSize: 2)

  private func record(_ demand: Subscribers.Demand) -> RecordingSubscriber<Int, TestError> {
    let recorder = RecordingSubscriber<Int, TestError>(demand)
    subject.subscribe(recorder)
    return recorder
  }

  @Test("sends late subscribers the last values, then the rest")
  func late() {
    for value in 1...3 { subject.send(value) }
    let recorder = record(.unlimited)
    subject.send(4)
    subject.send(completion: .finished)
    #expect(recorder.values == [2, 3, 4])
    #expect(recorder.isFinished)
    #expect(recorder.descriptions == ["ReplaySubject"])
    #expect(recorder.violations == [])
  }

  @Test("sends the last values and the end to who comes after it")
  func afterTheEnd() {
    for value in 1...3 { subject.send(value) }
    subject.send(completion: .failure(TestError()))
    subject.send(9)
    let recorder = record(.max(1))
    #expect(recorder.values == [2])
    #expect(recorder.failure == nil)
    recorder.request(.max(1))
    #expect(recorder.values == [2, 3])
    #expect(recorder.failure != nil)
  }

  @Test("sends the end without demand if there is nothing before it")
  func emptyEnd() {
    subject.send(completion: .finished)
    #expect(record(.none).isFinished)
  }

  @Test("drops for a slow subscriber only what newer values push out")
  func slow() {
    let fast = record(.unlimited)
    let slow = record(.max(1))
    for value in 1...3 { subject.send(value) }
    slow.request(.max(1))
    #expect(slow.values == [1, 2])
    for value in 4...6 { subject.send(value) }
    slow.request(.unlimited)
    subject.send(completion: .finished)
    #expect(slow.values == [1, 2, 5, 6])
    #expect(slow.isFinished)
    #expect(fast.values == [1, 2, 3, 4, 5, 6])
  }

  @Test("loses nothing of sends from inside a delivery, for any size", arguments: [0, 1, 2])
  func sendsInside(size: Int) {
    let subject = ReplaySubject<Int, TestError>(bufferSize: size)
    let first = RecordingSubscriber<Int, TestError>(.unlimited) { _, value in
      if value == 1 { for inner in 2...9 { subject.send(inner) } }
      return .none
    }
    let second = RecordingSubscriber<Int, TestError>(.unlimited)
    subject.subscribe(first)
    subject.subscribe(second)
    subject.send(1)
    #expect(first.values == Array(1...9))
    #expect(second.values == Array(1...9))
    #expect(first.violations + second.violations == [])
  }

  @Test("does not recurse when values are asked for one by one")
  func oneByOne() {
    let subject = ReplaySubject<Int, TestError>(bufferSize: 100_000)
    for value in 0..<100_000 { subject.send(value) }
    var count = 0
    var link: (any Subscription)?
    let subscriber = AnySubscriber<Int, TestError>(
      receiveSubscription: {
        link = $0
        $0.request(.max(1))
      },
      receiveValue: { _ in
        count += 1
        link?.request(.max(1))
        return .none
      }
    )
    subject.subscribe(subscriber)
    #expect(count == 100_000)
    link?.cancel()
  }

  @Test("is Sendable where its values are")
  func sendable() {
    func check(_: some Sendable) {}
    check(subject)
    check(PassthroughSubject<Int, Never>())
    check(CurrentValueSubject<Int, Never>(0))
  }
}
