import FlowCore
import FlowTestSupport
import Testing

@Suite("append, prepend, withLatest(from:), drop and prefix until")
struct SidedTests {
  let source = PassthroughSubject<Int, Oops>()
  let other = PassthroughSubject<Int, Oops>()

  @Test("append and prepend publish one after the other")
  func order() {
    #expect(play("-1-2|") { source, _ in source.append("8", "9") } == "-1-2(89|)")
    #expect(play("-1-2|") { source, _ in source.prepend(["8", "9"]) } == "(89)1-2|")
    #expect(play("-1-✕") { source, _ in source.append("8") } == "-1-✕")
  }

  @Test("append carries demand over, and subscribes to what follows only at the end")
  func carriesOver() {
    let log = source.append(other).record(.max(3))
    source.send(1)
    other.send(7)
    source.send(completion: .finished)
    other.send(2)
    other.send(3)
    other.send(4)
    #expect(log.line == "Concatenate 1 2 3")
  }

  @Test("a value of the publisher before does not count once the next has begun")
  func staleValue() {
    let probe = ProbePublisher<Int, Oops>()
    let log = probe.append(other).record()
    probe.send(completion: .finished)
    probe.sendLate(1)
    probe.send(completion: .finished)
    other.send(2)
    #expect(log.line == "Concatenate 2")
  }

  @Test("a million sequences in a row do not recurse")
  func manyInARow() {
    var publisher = Empty<Int, Never>().eraseToAnyPublisher()
    for value in 0..<1000 { publisher = publisher.append(value).eraseToAnyPublisher() }
    let log = publisher.record(.max(1000))
    #expect(log.values == Array(0..<1000))
  }

  @Test("withLatest(from:) pairs each value with the newest of the other")
  func withLatest() {
    let log = source.withLatest(from: other) { $0 * 10 + $1 }.record()
    source.send(1)
    other.send(1)
    other.send(2)
    source.send(2)
    source.send(3)
    other.send(completion: .finished)
    source.send(4)
    source.send(completion: .finished)
    #expect(log.line == "WithLatest 22 32 42 |")
  }

  @Test("withLatest(from:) asks for one more when there is nothing to pair with")
  func withLatestDemand() {
    let probe = ProbePublisher<Int, Oops>()
    let log = probe.withLatest(from: other) { $1 }.record(.max(1))
    #expect(probe.send(1))
    #expect(probe.demand == .max(1))
    other.send(5)
    #expect(probe.send(2))
    #expect(probe.demand == .none)
    #expect(log.line == "WithLatest 5")
    #expect(probe.requests == [.max(1)])
  }

  @Test("withLatest(from:) ends when the other can not send its first value")
  func withLatestOfNothing() {
    let log = source.withLatest(from: Empty<Int, Oops>()) { $1 }.record()
    #expect(log.line == "WithLatest |")
  }

  @Test("prefix(untilOutputFrom:) finishes after the value during which the other publishes")
  func prefixFromInside() {
    let log = source.handleEvents(receiveOutput: { [other] in if $0 == 2 { other.send(0) } })
      .prefix(untilOutputFrom: other).record()
    source.send(1)
    source.send(2)
    source.send(3)
    #expect(log.line == "PrefixUntilOutput 1 |")
    let later = source.prefix(untilOutputFrom: other)
      .handleEvents(receiveOutput: { [other] in if $0 == 2 { other.send(0) } }).record()
    source.send(1)
    source.send(2)
    source.send(3)
    #expect(later.line == "HandleEvents 1 2 |" || later.line == "PrefixUntilOutput 1 2 |")
  }

  @Test("drop(untilOutputFrom:) begins with the value after the other's first")
  func dropUntil() {
    let log = source.drop(untilOutputFrom: other).record()
    source.send(1)
    other.send(0)
    source.send(2)
    other.send(completion: .failure(Oops()))
    source.send(3)
    source.send(completion: .finished)
    #expect(log.line == "DropUntilOutput 2 3 |")
  }

  @Test("drop(untilOutputFrom:) ends with the other if that ends without a value")
  func dropUntilNothing() {
    let probe = ProbePublisher<Int, Oops>()
    let log = probe.drop(untilOutputFrom: other).record()
    other.send(completion: .failure(Oops()))
    #expect(log.line.hasPrefix("DropUntilOutput ✕"))
    #expect(probe.cancels == 1)
  }
}
