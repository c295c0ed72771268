import FlowCore
import FlowTestSupport
import Testing

@Suite("append and prefix until, in the odd cases")
struct SidedTests {
  let source = PassthroughSubject<Int, Oops>()
  let other = PassthroughSubject<Int, Oops>()

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

  @Test("a thousand publishers one before the other do not recurse")
  func manyInARow() {
    var publisher = Empty<Int, Never>().eraseToAnyPublisher()
    for value in 0..<1000 { publisher = publisher.append(value).eraseToAnyPublisher() }
    let log = publisher.record(.max(1000))
    #expect(log.values == Array(0..<1000))
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
    #expect(later.line == "HandleEvents 1 2 |")
  }
}
