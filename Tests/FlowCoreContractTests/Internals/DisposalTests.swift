import FlowCore
import FlowTestSupport
import Synchronization
import Testing

/// A value that records how many of them are passed to `dispose` at once.
private struct Freed: Disposable {
  let number: Int

  /// The numbers of values in each call of `dispose`, by test, which is a value's number / 1000.
  static let loads = Mutex<[Int: [Int]]>([:])

  static func dispose(_ values: Any) {
    let all = Mirror(reflecting: values).children.compactMap { first(in: $0.value) }
    guard let test = all.first.map({ $0.number / 1000 }) else { return }
    loads.withLock { $0[test, default: []].append(all.count) }
  }

  /// Returns the value in a signal or an optional.
  private static func first(in part: Any) -> Freed? {
    part as? Freed
      ?? Mirror(reflecting: part).children.lazy.compactMap { first(in: $0.value) }.first
  }

  static func takenOver(by test: Int) -> [Int] { loads.withLock { $0[test] ?? [] } }
}

@Suite("Many held values are passed to `dispose`")
struct DisposalTests {
  private typealias Source = PassthroughSubject<Freed, Never>

  /// Lets a stage hold `count` values and cancels it; returns the numbers of disposed values.
  private func keep(
    _ count: Int,
    test: Int,
    _ stage: (Source) -> AnyPublisher<Int, Never>
  ) -> [Int] {
    let source = Source()
    do {
      let subscription = stage(source).sink { _ in }
      for number in 0..<count { source.send(Freed(number: test * 1000 + number)) }
      #expect(Freed.takenOver(by: test).isEmpty)
      subscription.cancel()
    }
    return Freed.takenOver(by: test)
  }

  @Test("by a collect of all")
  func collect() {
    let loads = keep(100, test: 1) { $0.collect().map(\.count).eraseToAnyPublisher() }
    #expect(loads == [100])
  }

  @Test("by a collect of a count")
  func collectByCount() {
    let loads = keep(100, test: 2) { $0.collect(200).map(\.count).eraseToAnyPublisher() }
    #expect(loads == [100])
  }

  @Test("by a zip")
  func zip() {
    let other = PassthroughSubject<Int, Never>()
    let loads = keep(101, test: 3) {
      $0.zip(other).map(\.1).eraseToAnyPublisher()
    }
    #expect(loads == [100])
  }

  @Test("by a buffer without demand")
  func buffer() {
    let source = Source()
    let log = source.buffer(size: 100, prefetch: .byRequest, whenFull: .dropOldest)
      .record(.none)
    for number in 0..<150 { source.send(Freed(number: 4000 + number)) }
    log.cancel()
    #expect(Freed.takenOver(by: 4) == [100])
  }

  @Test("by a ReplaySubject")
  func replay() {
    do {
      let subject = ReplaySubject<Freed, Never>(bufferSize: 100)
      for number in 0..<150 { subject.send(Freed(number: 5000 + number)) }
    }
    #expect(Freed.takenOver(by: 5) == [100])
  }

  @Test("by a delay")
  func delay() {
    let clock = VirtualTimeScheduler()
    let loads = keep(100, test: 6) {
      $0.delay(for: .seconds(1), scheduler: clock).map(\.number).eraseToAnyPublisher()
    }
    #expect(loads == [100])
  }

  @Test("but not if there are only a few")
  func few() {
    let loads = keep(64, test: 7) { $0.collect().map(\.count).eraseToAnyPublisher() }
    #expect(loads.isEmpty)
  }
}
