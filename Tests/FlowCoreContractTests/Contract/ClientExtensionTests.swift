import FlowCore
import Testing

// Programs for Combine define these operators themselves. This file compiles only if FlowCore's own
// operators of the same names do not make their calls ambiguous.
extension Publisher {
  fileprivate func share(replay count: Int) -> AnyPublisher<String, Failure> { own("share") }

  fileprivate func withLatest<P: Publisher>(from other: P) -> AnyPublisher<String, Failure> {
    own("withLatest")
  }

  fileprivate func flatMapLatest<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> AnyPublisher<String, Failure> { own("flatMapLatest") }

  fileprivate func concatMap<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> AnyPublisher<String, Failure> { own("concatMap") }

  fileprivate func exhaustMap<P: Publisher>(
    _ transform: @escaping (Output) -> P
  ) -> AnyPublisher<String, Failure> { own("exhaustMap") }

  fileprivate func window(_ count: Int, every step: Int) -> AnyPublisher<String, Failure> {
    own("window")
  }

  fileprivate func pairwise() -> AnyPublisher<String, Failure> { own("pairwise") }

  fileprivate func sample<P: Publisher>(when other: P) -> AnyPublisher<String, Failure> {
    own("sample")
  }

  fileprivate func pace<S: Scheduler>(
    _ count: Int,
    per interval: S.SchedulerTimeType.Stride,
    scheduler: S
  ) -> AnyPublisher<String, Failure> { own("pace") }

  fileprivate func retry<S: Scheduler>(
    _ retries: Int,
    delay: S.SchedulerTimeType.Stride,
    scheduler: S
  ) -> AnyPublisher<String, Failure> { own("retry") }

  fileprivate func removeDuplicates<Key: Equatable>(
    by key: KeyPath<Output, Key>
  ) -> AnyPublisher<String, Failure> { own("removeDuplicates") }

  private func own(_ name: String) -> AnyPublisher<String, Failure> {
    Just(name).setFailureType(to: Failure.self).eraseToAnyPublisher()
  }
}

extension Collection where Element: Publisher {
  fileprivate func merge() -> AnyPublisher<String, Never> { Just("merge").eraseToAnyPublisher() }
  fileprivate func zip() -> AnyPublisher<String, Never> { Just("zip").eraseToAnyPublisher() }

  fileprivate func combineLatest() -> AnyPublisher<String, Never> {
    Just("combineLatest").eraseToAnyPublisher()
  }
}

@Suite("A program's own operators")
struct ClientExtensionTests {
  @Test("are preferred to FlowCore's operators of the same name")
  func ownOperatorsWin() {
    let source = PassthroughSubject<Int, Never>()
    let scheduler = ImmediateScheduler.shared
    var names: [String] = []
    _ = source.share(replay: 1).sink { names.append($0) }
    _ = source.withLatest(from: Just(1)).sink { names.append($0) }
    _ = source.flatMapLatest { Just($0) }.sink { names.append($0) }
    _ = source.concatMap { Just($0) }.sink { names.append($0) }
    _ = source.exhaustMap { Just($0) }.sink { names.append($0) }
    _ = source.window(2, every: 1).sink { names.append($0) }
    _ = source.pairwise().sink { names.append($0) }
    _ = source.sample(when: Just(1)).sink { names.append($0) }
    _ = source.pace(1, per: .seconds(1), scheduler: scheduler).sink { names.append($0) }
    _ = source.retry(1, delay: .seconds(1), scheduler: scheduler).sink { names.append($0) }
    _ = source.removeDuplicates(by: \.self).sink { names.append($0) }
    _ = [source].merge().sink { names.append($0) }
    _ = [source].zip().sink { names.append($0) }
    _ = [source].combineLatest().sink { names.append($0) }
    let all = [
      "share", "withLatest", "flatMapLatest", "concatMap", "exhaustMap", "window", "pairwise",
      "sample",
      "pace",
      "retry", "removeDuplicates", "merge",
      "zip", "combineLatest",
    ]
    #expect(names == all)
  }
}
