import Dispatch
import Measure

/// What the peer does not have.
nonisolated(unsafe) public let scenariosBeyond = [
  ofPair("merge of 2") { $0.merge(with: $1) },
  ofPair("merge of many") { [$0, $1, Source(), Source()].merge() },
  ofPair("combineLatest of 2") { $0.combineLatest($1).map { $0 &* $1 } },
  ofPair("withLatest") { $0.withLatest(from: $1).map { $0 &* $1 } },
  ofSequence("concatMap { Just }") { (1...$0).publisher.concatMap { Just($0 ^ 5) } },
  ofSequence("concatMap { 5 values }") {
    (0..<$0 / 5).publisher.concatMap { ($0..<$0 + 5).publisher }
  },
  ofSubject("subject-flatMapLatest { Just }") { $0.flatMapLatest { Just($0 ^ 5) } },
  of("ReplaySubject(1)", ReplaySubject<Int, Never>(bufferSize: 1)) {
    $0
  } send: {
    $0.send($1)
  },
  of("ReplaySubject(64), held", isHeld: true, ReplaySubject<Int, Never>(bufferSize: 64)) {
    $0
  } send: {
    $0.send($1)
  },
  ofSubject("subject-share(replay: 1)") { $0.share(replay: 1) },
  onClock("delay, on the clock of the server") {
    $0.delay(for: .milliseconds(10), scheduler: $1)
  },
  onClock("throttle, on the clock of the server") {
    $0.throttle(for: .milliseconds(10), scheduler: $1, latest: true)
  },
  onClock("timeout, on the clock of the server") { $0.timeout(.seconds(9), scheduler: $1) },
  onClock("collect(.byTime), on the clock of the server") {
    $0.collect(.byTime($1, .milliseconds(10))).map(\.count)
  },
]

/// A subject, and a clock that moves on by 64 ms after every 64 values.
private final class Timed {
  let subject = Source()
  let clock = VirtualTimeScheduler()

  func send(_ value: Int) {
    subject.send(value)
    if value & 63 == 0 { clock.advance(by: .milliseconds(64)) }
  }
}

/// A row whose publisher waits for a clock.
@inline(__always)
private func onClock<P: Publisher>(
  _ name: String,
  _ make: @escaping (Source, VirtualTimeScheduler) -> P
) -> Scenario where P.Output == Int, P.Failure == Never {
  of(name, Timed()) {
    make($0.subject, $0.clock)
  } send: {
    $0.send($1)
  }
}
