import FlowCore
import FlowTestSupport
import Testing

@Suite("CurrentValueSubject")
struct CurrentValueSubjectTests {
  let subject = CurrentValueSubject<Int, Oops>(0)

  @Test("sends a late subscriber the newest value first")
  func lateSubscriber() {
    subject.send(1)
    subject.send(2)
    let recorder = subject.record()
    subject.send(3)
    subject.send(completion: .finished)
    #expect(recorder.line == "CurrentValueSubject 2 3 |")
  }

  @Test("sends what is newest when it is asked for")
  func newestAtRequest() {
    let recorder = subject.record(.none)
    subject.send(1)
    subject.send(2)
    #expect(recorder.values == [])
    recorder.request(1)
    #expect(recorder.values == [2])
    recorder.request(1)
    #expect(recorder.values == [2])
    subject.send(3)
    #expect(recorder.values == [2, 3])
    subject.send(4)
    subject.send(5)
    recorder.request(2)
    #expect(recorder.values == [2, 3, 5])
  }

  @Test("has a value that can be read and set")
  func value() {
    let recorder = subject.record()
    subject.value = 7
    subject.value += 1
    #expect(subject.value == 8)
    #expect(recorder.values == [0, 7, 8])
  }

  @Test("its value is the new one while that is delivered")
  func valueInsideDelivery() {
    var seen: [Int] = []
    let recorder = subject.record { _, _ in
      seen.append(subject.value)
      return .none
    }
    subject.send(1)
    #expect(seen == [0, 1])
    #expect(recorder.values == seen)
  }

  @Test("keeps its last value when it has ended, and sends only the end")
  func afterTheEnd() {
    subject.send(1)
    subject.send(completion: .failure(Oops()))
    subject.send(2)
    #expect(subject.value == 1)
    #expect(subject.line() == "Empty ✕oops")
  }

  @Test("delivers a send from inside a delivery at once")
  func sendInsideSend() {
    let first = subject.record { _, value in
      if value == 1 { subject.send(2) }
      return .none
    }
    let second = subject.record()
    subject.send(1)
    #expect(first.values == [0, 1, 2])
    #expect(second.values == [0, 2, 1])
  }

  @Test("a value missed inside a delivery is made up for at the next request")
  func missedInsideDelivery() {
    let recorder = subject.record(.max(2)) { _, value in
      if value == 1 { subject.send(2) }
      return .none
    }
    subject.send(1)
    #expect(recorder.values == [0, 1])
    recorder.request(1)
    #expect(recorder.values == [0, 1, 2])
  }

  @Test("asks an upstream for everything at once")
  func upstreamDemand() {
    let link = [1, 2].publisher.setFailureType(to: Oops.self).subscribe(subject)
    #expect(subject.value == 2)
    withExtendedLifetime(link) {}
  }

  @Test("a subscriber that cancels gets nothing more, and is released")
  func cancel() {
    weak var payload: Payload?
    var link: AnyCancellable?
    var seen: [Int] = []
    do {
      let strong = Payload()
      payload = strong
      link = subject.sink(
        receiveCompletion: { _ in },
        receiveValue: { seen.append($0 + strong.number) }
      )
    }
    subject.send(1)
    link?.cancel()
    subject.send(2)
    #expect(seen == [0, 1])
    #expect(payload == nil)
  }
}
