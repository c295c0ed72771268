import FlowCore
import FlowTestSupport

let combiningSeveral: [Candidate] = [
  .plain("zip", [.prefetches, .joins]) {
    $0.zip((1...1000).publisher.setFailureType(to: TestError.self)) { value, _ in value }
  },
  .plain("zip of three", [.prefetches, .joins]) {
    $0.zip(
      (1...1000).publisher.setFailureType(to: TestError.self),
      (1...1000).publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
    ) { value, _, _ in value }
  },
  .plain("zip of a collection", [.prefetches, .joins]) {
    [$0, (1...1000).publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()]
      .zip().map { $0[0] }
  },
  .plain("combineLatest", [.prefetches, .joins, .endsWithAll]) {
    $0.combineLatest(Just(0).setFailureType(to: TestError.self)) { value, _ in value }
  },
  .plain("combineLatest of four", [.prefetches, .joins, .endsWithAll]) {
    $0.combineLatest(
      Just(0).setFailureType(to: TestError.self),
      Just(0).setFailureType(to: TestError.self),
      Just(0).setFailureType(to: TestError.self)
    ) { value, _, _, _ in value }
  },
  .plain("switchToLatest, at once", [.prefetches, .joins]) {
    $0.map { Just($0).setFailureType(to: TestError.self) }.switchToLatest()
  },
  .plain("flatMapLatest, hidden", [.prefetches, .joins]) {
    $0.flatMapLatest {
      Just($0).setFailureType(to: TestError.self).receive(on: ImmediateScheduler.shared)
    }
  },
]
