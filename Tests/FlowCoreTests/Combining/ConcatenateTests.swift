import FlowCore
import FlowTestSupport
import Testing

@Suite("append, prepend")
struct ConcatenateTests {
  @Test("the second publisher follows the first")
  func order() {
    let drawn = play("-1-2-|", "--a---b-|") { $0.append($1) }
    #expect(drawn == "-1-2--b-|")
  }

  @Test("elements come before and after")
  func elements() {
    let subscriber = RecordingSubscriber<Int, Never>()
    PassthroughSubject<Int, Never>().prepend(1, 2).prepend([0]).subscribe(subscriber)
    #expect(subscriber.values == [0, 1, 2])
    let other = RecordingSubscriber<Int, Never>()
    Empty<Int, Never>().append(1, 2).append([3]).subscribe(other)
    #expect(other.values == [1, 2, 3])
    #expect(other.isFinished)
  }

  @Test("demand that is left goes to the second, with what is asked for meanwhile")
  func demand() {
    let (a, b) = (ProbePublisher<Int, Never>(), ProbePublisher<Int, Never>())
    let subscriber = RecordingSubscriber<Int, Never>(.max(3))
    a.append(b).subscribe(subscriber)
    a.send(1)
    #expect(b.subscriptions == 0)
    a.send(completion: .finished)
    #expect(b.requests == [.max(2)])
    subscriber.request(.max(4))
    #expect(b.requests == [.max(2), .max(4)])
  }

  @Test("demand returned with the first one's last value is not lost when that ends inside")
  func demandReturnedAcrossTheEnd() {
    let a = PassthroughSubject<Int, Never>()
    let b = ProbePublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>(.max(1)) { _, value in
      guard value == 1 else { return .none }
      a.send(completion: .finished)
      return .max(2)
    }
    a.append(b).subscribe(subscriber)
    a.send(1)
    #expect(b.demand == .max(2))
    #expect(b.send(2) && b.send(3))
    #expect(subscriber.values == [1, 2, 3])
  }

  @Test("a failure of the first ends both")
  func failure() {
    #expect(play("-1-✕", "a|") { $0.append($1) } == "-1-✕")
  }
}
