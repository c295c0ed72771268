import FlowCore
import FlowTestSupport
import Testing

@Suite("PassthroughSubject")
struct PassthroughSubjectTests {
  let subject = PassthroughSubject<Int, Oops>()

  @Test("sends a subscriber only what comes after it")
  func onlyLaterValues() {
    subject.send(1)
    let recorder = subject.record()
    subject.send(2)
    subject.send(3)
    subject.send(completion: .finished)
    #expect(recorder.line == "PassthroughSubject 2 3 |")
  }

  @Test("drops values for which there is no demand")
  func missesWithoutDemand() {
    let recorder = subject.record(.max(1))
    for value in 1...3 { subject.send(value) }
    recorder.request(2)
    for value in 4...7 { subject.send(value) }
    #expect(recorder.values == [1, 4, 5])
  }

  @Test("adds the demand that a subscriber returns")
  func returnedDemand() {
    let recorder = subject.record(.max(1)) { _, value in value < 3 ? .max(1) : .none }
    for value in 1...5 { subject.send(value) }
    #expect(recorder.values == [1, 2, 3])
  }

  @Test("takes a request from inside a delivery")
  func requestInsideDelivery() {
    let recorder = subject.record(.max(1)) { recorder, value in
      if value == 1 { recorder.request(2) }
      return .none
    }
    for value in 1...5 { subject.send(value) }
    #expect(recorder.values == [1, 2, 3])
  }

  @Test("sends nothing after the completion, and the completion without demand")
  func nothingAfterTheEnd() {
    let recorder = subject.record(.none)
    subject.send(completion: .failure(Oops()))
    subject.send(1)
    subject.send(completion: .finished)
    #expect(recorder.line == "PassthroughSubject ✕oops")
  }

  @Test("sends a late subscriber the completion")
  func lateSubscriber() {
    subject.send(completion: .finished)
    #expect(subject.line() == "Empty |")
  }

  @Test("delivers in order of subscription, also after some have gone")
  func orderOfSubscription() {
    var log: [String] = []
    var links = (0..<9).map { index in
      subject.sink(receiveCompletion: { _ in }, receiveValue: { log.append("\(index):\($0)") })
    }
    for index in [7, 5, 3, 1] { links.remove(at: index) }
    subject.send(1)
    links.append(
      subject.sink(receiveCompletion: { _ in }, receiveValue: { log.append("late:\($0)") })
    )
    links.removeFirst()
    subject.send(2)
    #expect(
      log == ["0:1", "2:1", "4:1", "6:1", "8:1", "2:2", "4:2", "6:2", "8:2", "late:2"]
    )
  }

  @Test("delivers a send from inside a delivery at once, to all")
  func sendInsideSend() {
    var log: [String] = []
    let first = subject.sink(receiveCompletion: { _ in }) { value in
      log.append("a\(value)")
      if value == 1 { subject.send(2) }
    }
    let second = subject.sink(receiveCompletion: { _ in }) { log.append("b\($0)") }
    subject.send(1)
    #expect(log == ["a1", "a2", "b2", "b1"])
    withExtendedLifetime((first, second)) {}
  }

  @Test("a completion from inside a delivery stops that delivery")
  func completionInsideSend() {
    let first = subject.record { _, _ in
      subject.send(completion: .finished)
      return .none
    }
    let second = subject.record()
    subject.send(1)
    #expect(first.line == "PassthroughSubject 1 |")
    #expect(second.line == "PassthroughSubject |")
  }

  @Test("a subscriber that comes during a delivery gets the next value")
  func subscribeInsideSend() {
    var inner: SignalLog<Int, Oops>?
    let outer = subject.record { _, _ in
      inner = inner ?? subject.record()
      return .none
    }
    subject.send(1)
    subject.send(2)
    #expect(outer.values == [1, 2])
    #expect(inner?.values == [2])
  }

  @Test("a subscriber that cancels, itself or another, gets nothing more")
  func cancelInsideSend() {
    var second: SignalLog<Int, Oops>?
    let first = subject.record { recorder, value in
      second?.cancel()
      if value == 2 { recorder.cancel() }
      return .max(1)
    }
    second = subject.record()
    for value in 1...3 { subject.send(value) }
    #expect(first.values == [1, 2])
    #expect(second?.values == [])
  }

  @Test("a subscriber that drops everything while it is sent a value comes to no harm")
  func releaseInsideSend() {
    var link: AnyCancellable?
    var seen: [Int] = []
    let payload = Payload()
    link = subject.sink(receiveCompletion: { _ in }) { value in
      link = nil
      seen.append(value + payload.number)
    }
    subject.send(1)
    subject.send(2)
    #expect(seen == [1])
    #expect(link == nil)
  }

  @Test("cancelling twice is cancelling once")
  func cancelTwice() {
    let recorder = subject.record()
    recorder.cancel()
    recorder.cancel()
    recorder.request(1)
    subject.send(1)
    subject.send(completion: .finished)
    #expect(recorder.line == "PassthroughSubject")
  }

  @Test("releases its subscribers when they cancel and when it ends", arguments: [true, false])
  func release(byCancelling: Bool) {
    weak var payload: Payload?
    let link: AnyCancellable
    do {
      let strong = Payload()
      payload = strong
      link = subject.sink(
        receiveCompletion: { _ in },
        receiveValue: { _ in _ = strong.number }
      )
    }
    #expect(payload != nil)
    if byCancelling { link.cancel() } else { subject.send(completion: .finished) }
    #expect(payload == nil)
  }

  @Test("asks an upstream for everything once a subscriber has asked for something")
  func upstreamDemand() {
    let source = PassthroughSubject<Int, Oops>()
    let link = source.subscribe(subject)
    source.send(1)
    let recorder = subject.record(.none)
    source.send(2)
    recorder.request(1)
    source.send(3)
    source.send(completion: .failure(Oops()))
    #expect(recorder.line == "PassthroughSubject 3 ✕oops")
    withExtendedLifetime(link) {}
  }

  @Test("a request for nothing traps")
  func requestForNothing() async {
    await #expect(processExitsWith: .failure) {
      let recorder = PassthroughSubject<Int, Never>().record(.none)
      recorder.subscription?.request(.none)
    }
  }
}

final class Payload {
  let number = 0
}
