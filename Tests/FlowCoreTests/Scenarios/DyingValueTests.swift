import FlowCore
import FlowTestSupport
import Synchronization
import Testing

/// Values whose `deinit` sends something, at the worst moment.
@Suite("Values that send when they are released")
struct DyingValueTests {
  private final class Value {
    let number: Int
    let atEnd: () -> Void

    init(_ number: Int, atEnd: @escaping () -> Void = {}) {
      self.number = number
      self.atEnd = atEnd
    }

    deinit { atEnd() }
  }

  @Test("a ReplaySubject keeps the newest values in order")
  func replay() {
    let subject = ReplaySubject<Value, Never>(bufferSize: 2)
    var seen: [Int] = []
    let link = subject.sink { seen.append($0.number) }
    for number in 1...4 {
      subject.send(
        Value(number) { [weak subject] in if number < 3 { subject?.send(Value(10 * number)) } }
      )
    }
    #expect(seen == [1, 2, 3, 10, 20, 4])
    var late: [Int] = []
    _ = subject.sink { late.append($0.number) }
    #expect(late == [20, 4])
    link.cancel()
  }

  @Test("subscribers of a CurrentValueSubject get its newest value last")
  func current() {
    var send: (Value) -> Void = { _ in }
    let subject = CurrentValueSubject<Value, Never>(Value(1) { send(Value(3)) })
    send = { [unowned subject] in subject.send($0) }
    var seen: [Int] = []
    let link = subject.sink { seen.append($0.number) }
    subject.send(Value(2))
    #expect(subject.value.number == 3)
    #expect(seen == [1, 2, 3])
    send = { _ in }
    link.cancel()
  }

  @Test("switchToLatest keeps one publisher, even if a cancellation sends another")
  func switching() {
    let outer = PassthroughSubject<AnyPublisher<Int, Never>, Never>()
    let inner = (1...3).map { _ in ProbePublisher<Int, Never>() }
    let link = outer.switchToLatest().sink { _ in }
    outer.send(
      inner[0].handleEvents(receiveCancel: { outer.send(inner[1].eraseToAnyPublisher()) })
        .eraseToAnyPublisher()
    )
    outer.send(inner[2].eraseToAnyPublisher())
    #expect(inner.map { $0.subscriptions - $0.cancels } == [0, 1, 0])
    link.cancel()
    #expect(inner.map { $0.subscriptions - $0.cancels } == [0, 0, 0])
  }

  @Test("cancelling collect releases its values, even if the subscription is kept")
  func collected() {
    let subject = PassthroughSubject<Value, Never>()
    var gone = 0
    let collecting = subject.collect().sink { _ in }
    let reducing = subject.reduce([Value]()) { $0 + [$1] }.sink { _ in }
    let last = subject.last().sink { _ in }
    for number in 1...3 { subject.send(Value(number) { gone += 1 }) }
    for link in [collecting, reducing, last] { link.cancel() }
    #expect(gone == 3)
  }

  @Test("flatMap does not count a value that comes while it is cancelled")
  func counting() {
    let count = _ChildCount()
    let subject = PassthroughSubject<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>(.none)
    subject.flatMap { value in
      AnyPublisher(Just(value)).map { value in
        subscriber.cancel()
        return value
      }
    }
    .counting(in: count, cost: 1).subscribe(subscriber)
    subject.send(1)
    #expect(count.openCount == 0)
    #expect(count.totalCost == 0)
  }
}
