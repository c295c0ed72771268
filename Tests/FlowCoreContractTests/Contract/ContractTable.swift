import FlowCore
import FlowTestSupport
import Testing

/// An operator under test, which `apply` applies to the test's source.
struct Candidate: CustomTestStringConvertible, Sendable {
  typealias Source = AnyPublisher<Int, TestError>

  enum Trait {
    /// It requests values from its upstream without demand from downstream.
    case prefetches
    /// It subscribes to several publishers.
    case joins
    /// It may subscribe again after its upstream ends or fails.
    case resubscribes
    /// It emits its result at the end, when there is demand.
    case reduces
    /// It delivers on the scheduler.
    case waits
    /// It ends when all its upstreams have ended, which may need demand.
    case endsWithAll
    /// It passes its upstream's subscription on, or cancels it more than once.
    case isTransparent
    /// It shares one upstream subscription among its subscribers.
    case isShared
  }

  let name: String
  let traits: Set<Trait>
  let apply: @Sendable (Source, VirtualTimeScheduler) -> Source

  var testDescription: String { name }

  func has(_ trait: Trait) -> Bool { traits.contains(trait) }

  static func plain(
    _ name: String,
    _ traits: Set<Trait> = [],
    _ apply: @escaping @Sendable (Source) -> some Publisher<Int, TestError> & SendableMetatype
  ) -> Candidate {
    Candidate(name: name, traits: traits) { source, _ in apply(source).eraseToAnyPublisher() }
  }

  static func timed(
    _ name: String,
    _ traits: Set<Trait> = [.waits],
    _ apply:
      @escaping @Sendable (Source, VirtualTimeScheduler) -> some Publisher<Int, TestError>
      & SendableMetatype
  ) -> Candidate {
    Candidate(name: name, traits: traits) { apply($0, $1).eraseToAnyPublisher() }
  }
}

/// All operators, each with arguments that let values through.
let contractTable: [Candidate] =
  transforming + filtering + reducing + combining + failing + others + sharing + answering
  + combiningSeveral + timing + sided

/// The operators without a trait, to which a rule does not apply.
func contractTable(without trait: Candidate.Trait) -> [Candidate] {
  contractTable.filter { !$0.has(trait) }
}

private let transforming: [Candidate] = [
  .plain("map", [.isTransparent]) { $0.map { $0 } },
  .plain("map.map", [.isTransparent]) { $0.map { $0 }.map { $0 } },
  .plain("tryMap") { $0.tryMap { $0 }.mapError { $0 as? TestError ?? TestError() } },
  .plain("compactMap", [.isTransparent]) { $0.compactMap { $0 } },
  .plain("tryCompactMap") { $0.tryCompactMap { $0 }.mapError { $0 as? TestError ?? TestError() } },
  .plain("scan", [.isTransparent]) { $0.scan(0) { $1 } },
  .plain("tryScan") { $0.tryScan(0) { $1 }.mapError { $0 as? TestError ?? TestError() } },
]

private let filtering: [Candidate] = [
  .plain("filter", [.isTransparent]) { $0.filter { _ in true } },
  .plain("filter to odd", [.isTransparent]) { $0.filter { $0 % 2 == 1 } },
  .plain("tryFilter") { $0.tryFilter { _ in true }.mapError { $0 as? TestError ?? TestError() } },
  .plain("first") { $0.first() },
  .plain("first(where:)") { $0.first { $0 > 2 } },
  .plain("prefix") { $0.prefix(3) },
  .plain("prefix(while:)") { $0.prefix { $0 < 4 } },
  .plain("dropFirst") { $0.dropFirst(2) },
  .plain("drop(while:)") { $0.drop { $0 < 2 } },
  .plain("removeDuplicates") { $0.removeDuplicates() },
]

private let reducing: [Candidate] = [
  .plain("reduce", [.reduces, .prefetches]) { $0.reduce(0) { $0 + $1 } },
  .plain("tryReduce", [.reduces, .prefetches]) {
    $0.tryReduce(0) { $0 + $1 }.mapError { $0 as? TestError ?? TestError() }
  },
  .plain("count", [.reduces, .prefetches]) { $0.count() },
  .plain("collect", [.reduces, .prefetches]) { $0.collect().map(\.count) },
  .plain("last", [.reduces, .prefetches]) { $0.last() },
  .plain("ignoreOutput", [.reduces, .prefetches, .isTransparent]) {
    $0.ignoreOutput().map { _ -> Int in }
  },
]

private let combining: [Candidate] = [
  .plain("flatMap, at once", [.prefetches, .joins]) {
    $0.flatMap { Just($0).setFailureType(to: TestError.self) }
  },
  .plain("flatMap, hidden", [.prefetches, .joins]) {
    $0.flatMap { Just($0).setFailureType(to: TestError.self).eraseToAnyPublisher() }
  },
  .plain("flatMap(maxPublishers: 2)", [.prefetches, .joins]) {
    $0.flatMap(maxPublishers: .max(2)) { Just($0).setFailureType(to: TestError.self) }
  },
  .plain("flatMap(maxPublishers: 2), hidden", [.prefetches, .joins]) {
    $0.flatMap(maxPublishers: .max(2)) { [$0, $0].publisher.eraseToAnyPublisher() }
  },
  .timed("flatMap with delay", [.prefetches, .joins, .waits]) { source, clock in
    source.flatMap { Just($0).delay(for: 1, scheduler: clock) }
  },
  .plain("merge(with:)", [.prefetches, .joins]) {
    $0.merge(with: Empty<Int, TestError>().eraseToAnyPublisher())
  },
  .plain("merge of three", [.prefetches, .joins]) {
    $0.merge(with: Empty<Int, TestError>(), Empty<Int, TestError>())
  },
  .plain("buffer(.keepFull)", [.prefetches, .joins]) {
    $0.buffer(size: 8, prefetch: .keepFull, whenFull: .dropNewest)
  },
  .plain("buffer(.byRequest, .dropOldest)", [.prefetches, .joins]) {
    $0.buffer(size: 8, prefetch: .byRequest, whenFull: .dropOldest)
  },
  .plain("buffer(.byRequest, .dropNewest)", [.prefetches, .joins]) {
    $0.buffer(size: 8, prefetch: .byRequest, whenFull: .dropNewest)
  },
  .plain("buffer(.byRequest, .customError)", [.prefetches, .joins]) {
    $0.buffer(size: 64, prefetch: .byRequest, whenFull: .customError { TestError("full") })
  },
]

private let failing: [Candidate] = [
  .plain("mapError", [.isTransparent]) { $0.mapError { $0 } },
  .plain("catch", [.resubscribes]) { $0.catch { Fail(error: $0) } },
  .plain("tryCatch", [.resubscribes]) {
    $0.tryCatch { error -> Empty<Int, TestError> in throw error }
      .mapError { $0 as? TestError ?? TestError() }
  },
  .plain("replaceError", [.resubscribes]) {
    $0.replaceError(with: 0).setFailureType(to: TestError.self)
  },
  .plain("replaceEmpty") { $0.replaceEmpty(with: 0) },
  .plain("retry", [.resubscribes]) { $0.retry(1) },
]

private let others: [Candidate] = [
  .timed("delay") { $0.delay(for: 1, scheduler: $1) },
  .timed("receive(on:)") { $0.receive(on: $1) },
  .plain("share", [.prefetches, .isShared, .isTransparent]) { $0.share() },
  .plain("multicast.autoconnect", [.prefetches, .isShared, .isTransparent]) {
    $0.multicast { PassthroughSubject() }.autoconnect()
  },
  .plain("print") { $0.print("", to: Nowhere()) },
  .plain("handleEvents") { $0.handleEvents(receiveOutput: { _ in }) },
  .plain("eraseToAnyPublisher", [.isTransparent]) { $0.eraseToAnyPublisher() },
]

/// A text stream that discards its text.
private struct Nowhere: TextOutputStream {
  mutating func write(_ string: String) {}
}
