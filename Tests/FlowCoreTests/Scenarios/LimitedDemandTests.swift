import FlowCore
import FlowTestSupport
import Testing

@Suite("flatMap under a limited demand")
struct LimitedDemandTests {
  let clock = VirtualTimeScheduler()

  @Test("asks its upstream for the next when a child has ended", arguments: [false, true])
  func next(_ hasBuffer: Bool) {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = Recorder<Int, Never>(.max(3), clock: clock)
    let source =
      hasBuffer
      ? subject.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest).eraseToAnyPublisher()
      : subject.eraseToAnyPublisher()
    source
      .flatMap(maxPublishers: .max(1)) {
        Just($0).delay(for: .seconds(2), scheduler: clock).eraseToAnyPublisher()
      }
      .subscribe(recorder)
    for value in 1...10 { subject.send(value) }
    clock.at(3) { subject.send(11) }
    clock.advance(toSecond: 30)
    #expect(recorder.values == (hasBuffer ? [1, 2, 3] : [1, 11]))
    recorder.request(.max(2))
    #expect(recorder.values == (hasBuffer ? [1, 2, 3, 4] : [1, 11]))
    clock.advance(toSecond: 60)
    #expect(recorder.values == (hasBuffer ? [1, 2, 3, 4, 5] : [1, 11]))
  }

  static let shapes = ["known count", "erased", "unknown count"]

  /// Three publishers of three values: their number known, hidden, and not known.
  static func three(_ shape: String, _ start: Int) -> AnyPublisher<Int, Never> {
    switch shape {
    case "known count": (start..<start + 3).publisher.map { $0 }.eraseToAnyPublisher()
    case "erased": (start..<start + 3).publisher.eraseToAnyPublisher()
    default:
      sequence(first: start) { $0 < start + 2 ? $0 + 1 : nil }.publisher.eraseToAnyPublisher()
    }
  }

  @Test(
    "sends never more than was asked for, whatever is sent from inside a value",
    arguments: shapes,
    1...7
  )
  func reentrant(_ shape: String, _ demand: Int) {
    let subject = PassthroughSubject<Int, Never>()
    let log = SignalLog<Int, Never>(.max(demand)) { _, value in
      if value == 10 { subject.send(20) }
      if value == 20 { subject.send(30) }
      return .none
    }
    subject.flatMap { Self.three(shape, $0) }.subscribe(log)
    subject.send(10)
    var values = log.values
    #expect(values.count == demand)
    log.request(20)
    values = log.values
    #expect(values.count == 9)
    #expect(values.sorted() == [10, 11, 12, 20, 21, 22, 30, 31, 32])
    for start in [10, 20, 30] {
      #expect(values.filter { $0 / 10 * 10 == start } == [start, start + 1, start + 2])
    }
  }

  @Test("holds as many Justs as it may have open, and asks for more as they are taken")
  func justs() {
    var asked: [Subscribers.Demand] = []
    let subject = PassthroughSubject<Int, Never>()
    let log = SignalLog<Int, Never>(.none)
    subject
      .handleEvents(receiveRequest: { asked.append($0) })
      .buffer(size: 9, prefetch: .byRequest, whenFull: .dropNewest)
      .flatMap(maxPublishers: .max(3)) { Just($0) }
      .subscribe(log)
    for value in 1...8 { subject.send(value) }
    #expect(log.values.isEmpty)
    log.request(1)
    #expect(log.values == [1])
    log.request(5)
    #expect(log.values == [1, 2, 3, 4, 5, 6])
    subject.send(completion: .finished)
    #expect(log.events.count == 7)
    log.request(9)
    #expect(log.values == [1, 2, 3, 4, 5, 6, 7, 8])
    guard case .finished? = log.events.last else {
      Issue.record("it has not finished")
      return
    }
  }

  @Test("lets go of the Justs that wait when it is cancelled, and from inside one of them")
  func cancelled() {
    weak var held: Held?
    let subject = PassthroughSubject<Held, Never>()
    let log = SignalLog<Held, Never>(.none) { log, _ in
      log.cancel()
      return .none
    }
    subject.flatMap(maxPublishers: .max(3)) { Just($0) }.subscribe(log)
    subject.send(Held())
    do {
      let second = Held()
      held = second
      subject.send(second)
    }
    #expect(held != nil)
    log.request(2)
    #expect(log.values.count == 1)
    #expect(held == nil)
  }

  private final class Held {}

  @Test("asks for no other publisher once one has failed")
  func failed() {
    struct Failure: Error {}
    var made: [Int] = []
    let log = SignalLog<Int, any Error>(.none)
    let second = PassthroughSubject<Int, any Error>()
    (1...9).publisher
      .setFailureType(to: (any Error).self)
      .flatMap(maxPublishers: .max(2)) { value -> AnyPublisher<Int, any Error> in
        made.append(value)
        return value == 1
          ? Just(1).setFailureType(to: (any Error).self).eraseToAnyPublisher()
          : second.prepend(2).eraseToAnyPublisher()
      }
      .handleEvents(receiveOutput: { if $0 == 2 { second.send(completion: .failure(Failure())) } })
      .subscribe(log)
    #expect(made == [1, 2])
    log.request(2)
    #expect(log.values == [1, 2])
    #expect(made == [1, 2])
    guard case .failure? = log.events.last else {
      Issue.record("it has not failed")
      return
    }
  }

  @Test("takes the values of publishers at hand as if it subscribed to them", arguments: 1...4)
  func cursors(_ limit: Int) {
    var random = SeededGenerator(state: UInt64(limit))
    for _ in 0..<100 {
      let lengths = (0..<12).map { _ in Int.random(in: 0..<7, using: &random) }
      let requests = (0..<30).map { _ in Int.random(in: 1..<8, using: &random) }
      let expected = events(limit, lengths, requests) { $0.eraseToAnyPublisher() }
      #expect(events(limit, lengths, requests) { $0 } == expected)
    }
  }

  /// What is made, asked for and sent, of children of these lengths; `hide` may hide their type.
  private func events<P: Publisher>(
    _ limit: Int,
    _ lengths: [Int],
    _ requests: [Int],
    _ hide: @escaping (Child) -> P
  ) -> [String] where P.Output == Int, P.Failure == Never {
    var log: [String] = []
    let subject = PassthroughSubject<Int, Never>()
    let recorder = SignalLog<Int, Never>(.none) { recorder, value in
      log.append("sent \(value)")
      if value % 17 == 0 { recorder.request(1) }
      return value % 5 == 0 ? .max(1) : .none
    }
    subject
      .handleEvents(receiveRequest: { log.append("asked \($0)") })
      .buffer(size: 99, prefetch: .byRequest, whenFull: .dropNewest)
      .handleEvents(receiveRequest: { log.append("asked for \($0)") })
      .flatMap(maxPublishers: .max(limit)) { start in
        log.append("made \(start)")
        let values = (start..<start + lengths[start / 10]).publisher
        let even = Publishers.Filter(upstream: values) {
          log.append("tested \($0)")
          return $0 % 3 != 0
        }
        return hide(
          Publishers.Map(upstream: even) {
            log.append("mapped \($0)")
            return $0
          }
        )
      }
      .subscribe(recorder)
    for (index, count) in requests.enumerated() {
      if index < lengths.count { subject.send(index * 10) }
      if index == lengths.count { subject.send(completion: .finished) }
      recorder.request(count)
    }
    return log + ["end: \(recorder.events.count - recorder.values.count)"]
  }

  private typealias Child = Publishers.Map<
    Publishers.Filter<Publishers.Sequence<Range<Int>, Never>>, Int
  >

  @Test("switchToLatest sends what was asked for of publishers at hand", arguments: 1...6)
  func switching(_ demand: Int) {
    let subject = PassthroughSubject<Int, Never>()
    let log = SignalLog<Int, Never>(.max(demand))
    subject.map { ($0..<$0 + 2).publisher }.switchToLatest().subscribe(log)
    for start in [10, 20, 30] { subject.send(start) }
    let all = [10, 11, 20, 21, 30, 31]
    #expect(log.values == Array(all.prefix(demand)))
    log.request(9)
    // Of the last publisher, what had not been sent.
    #expect(log.values == Array(all.prefix(demand)) + all.dropFirst(max(demand, 4)))
  }
}
