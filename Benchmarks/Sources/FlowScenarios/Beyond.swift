import Dispatch
import Measure

/// What the peer does not have.
nonisolated(unsafe) public let scenariosBeyond = [
  ofPair("merge of 2") { $0.merge(with: $1) },
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
]
