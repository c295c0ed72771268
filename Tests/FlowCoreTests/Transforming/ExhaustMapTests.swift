import FlowCore
import FlowTestSupport
import Testing

@Suite("exhaustMap, pairwise, window(every:)")
struct ExhaustMapTests {
  @Test("what comes while a publisher is at work is ignored")
  func ignores() {
    #expect(
      play("123-4--5|") { source, clock in
        source.exhaustMap { [$0, $0].publisher.delay(for: 2, scheduler: clock) }
      } == "--(11)---(44)--(55|)"
    )
  }

  @Test("what is ignored is told, and makes no publisher")
  func drops() {
    let source = PassthroughSubject<Int, Never>()
    let inner = (0..<4).map { _ in PassthroughSubject<Int, Never>() }
    var made: [Int] = []
    var dropped: [Int] = []
    let log = source.exhaustMap(onDrop: { dropped.append($0) }) { number in
      made.append(number)
      return inner[number]
    }
    .record()
    source.send(0)
    source.send(1)
    inner[0].send(7)
    inner[0].send(completion: .finished)
    source.send(2)
    source.send(3)
    inner[2].send(8)
    source.send(completion: .finished)
    #expect(log.line == "ExhaustMap 7 8")
    inner[2].send(completion: .finished)
    #expect(log.line == "ExhaustMap 7 8 |")
    #expect(made == [0, 2])
    #expect(dropped == [1, 3])
  }

  @Test("the publisher at work is asked for what has been requested, later ones for the rest")
  func demand() {
    let source = PassthroughSubject<Int, Never>()
    let log = source.exhaustMap { [$0, $0 + 1].publisher }.record(.max(3))
    source.send(10)
    source.send(20)
    source.send(30)
    #expect(log.values == [10, 11, 20])
    log.request(1)
    #expect(log.values == [10, 11, 20, 21])
    source.send(40)
    #expect(log.values == [10, 11, 20, 21])
    log.request(1)
    #expect(log.values == [10, 11, 20, 21, 40])
  }

  @Test("a failure of either ends it, and cancels the other")
  func failures() {
    let source = PassthroughSubject<Int, Oops>()
    let inner = PassthroughSubject<Int, Oops>()
    var cancelled = 0
    let log = source.exhaustMap { _ in inner.handleEvents(receiveCancel: { cancelled += 1 }) }
      .record()
    source.send(1)
    source.send(completion: .failure(Oops()))
    #expect(log.line == "ExhaustMap ✕oops")
    #expect(cancelled == 1)

    let other = PassthroughSubject<Int, Oops>()
    let second = other.exhaustMap { _ in Fail<Int, Oops>(error: Oops(word: "inner")) }.record()
    other.send(1)
    other.send(2)
    #expect(second.line == "ExhaustMap ✕inner")
  }

  @Test("a value that is sent from inside one of the publisher's is ignored")
  func inside() {
    let source = PassthroughSubject<Int, Never>()
    var made = 0
    let log = source.exhaustMap { number -> AnyPublisher<Int, Never> in
      made += 1
      source.send(number + 1)
      return [number].publisher.eraseToAnyPublisher()
    }
    .record()
    source.send(1)
    #expect(made == 1)
    #expect(log.values == [1])
  }

  @Test("goes with publishers that cannot fail")
  func failureTypes() {
    let never = [1].publisher.exhaustMap { Just($0) }.record()
    #expect(never.line == "ExhaustMap 1 |")
    let failing = Fail<Int, Oops>(error: Oops()).exhaustMap { Just($0) }.record()
    #expect(failing.line == "ExhaustMap ✕oops")
    let inner = [1].publisher.exhaustMap { _ in Fail<Int, Oops>(error: Oops()) }.record()
    #expect(inner.line == "ExhaustMap ✕oops")
  }

  @Test(
    "window(every:) has the last values, all of them",
    arguments: [
      (3, 1, "[1, 2, 3] [2, 3, 4] [3, 4, 5]"), (2, 2, "[1, 2] [3, 4]"), (1, 3, "[1] [4]"),
      (2, 3, "[1, 2] [4, 5]"), (9, 1, ""), (1, .max, "[1]"),
    ]
  )
  func window(_ count: Int, _ step: Int, _ expected: String) {
    let log = (1...5).publisher.window(count, every: step).record()
    #expect(log.values.map { "\($0)" }.joined(separator: " ") == expected)
  }

  @Test("window(every:) lets go of what is in no window any more, and of all at the end")
  func windowRelease() {
    final class Token {}
    let source = PassthroughSubject<Token, Never>()
    let link = source.window(2, every: 1).sink { _ in }
    weak var first: Token?
    weak var second: Token?
    do {
      let tokens = (Token(), Token())
      (first, second) = (tokens.0, tokens.1)
      source.send(tokens.0)
      source.send(tokens.1)
    }
    #expect(first == nil && second != nil)
    link.cancel()
    #expect(second == nil)
  }

  @Test("pairwise has each value with the one before it")
  func pairwise() {
    let pairs = [1, 2, 4].publisher.pairwise().map { "\($0.previous)\($0.current)" }
    #expect(pairs.record().values == ["12", "24"])
    #expect([1].publisher.pairwise().map(\.current).record().values == [])
    #expect(play("1--2✕") { $0.pairwise().map { $0 + $1 } } == "---[12]✕")
    let probe = ProbePublisher<Int, Never>()
    let log = RecordingSubscriber<Int, Never>(.max(1))
    probe.pairwise().map(\.current).subscribe(log)
    #expect(probe.send(1) && probe.send(2))
    #expect(!probe.send(3))
    #expect(log.values == [2])
  }
}
