import FlowCore
import FlowTestSupport

/// Operators with another publisher before, after or beside their upstream.
let sided: [Candidate] = [
  .plain("append", [.resubscribes]) { $0.append(Empty<Int, TestError>()) },
  .plain("prepend", [.resubscribes]) { $0.prepend(Empty<Int, TestError>()) },
  .plain("drop(untilOutputFrom:)", [.joins]) {
    $0.drop(untilOutputFrom: Just(0).setFailureType(to: TestError.self))
  },
  .plain("prefix(untilOutputFrom:)", [.joins]) { $0.prefix(untilOutputFrom: Empty<Int, Never>()) },
  .plain("withLatest(from:)", [.joins]) {
    $0.withLatest(from: Just(0).setFailureType(to: TestError.self)) { value, _ in value }
  },
  .plain("concatMap", [.prefetches, .joins]) {
    $0.concatMap { Just($0).setFailureType(to: TestError.self) }
  },
  .plain("pairwise") { $0.pairwise().map(\.current) },
  .plain("window(every:)") { $0.window(2, every: 1).map { $0[1] } },
  .plain("exhaustMap", [.prefetches, .joins]) {
    $0.exhaustMap { Just($0).setFailureType(to: TestError.self) }
  },
  .plain("exhaustMap, hidden", [.prefetches, .joins]) {
    $0.exhaustMap {
      Just($0).setFailureType(to: TestError.self).receive(on: ImmediateScheduler.shared)
    }
  },
  .plain("sample(when:)", [.prefetches, .joins]) {
    // Each value triggers a sample of the one before it.
    let ticks = PassthroughSubject<Int, TestError>()
    return $0.handleEvents(receiveOutput: { ticks.send($0) }).sample(when: ticks)
  },
  .plain("sample(when:), the other", [.joins]) {
    CurrentValueSubject<Int, TestError>(5).sample(when: $0)
  },
  .plain("removeDuplicates by key") { $0.removeDuplicates { $0 } },
  .timed("retry with a delay", [.resubscribes, .waits]) {
    $0.retry(0, delay: 1, scheduler: $1)
  },
]
