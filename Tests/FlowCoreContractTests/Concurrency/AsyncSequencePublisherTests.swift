import FlowCore
import FlowTestSupport
import Testing

@Suite("AsyncSequence.publisher", .timeLimit(.minutes(10)))
struct AsyncSequencePublisherTests {
  /// A sequence of numbers that counts the calls of `next`.
  final class Numbers: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private let taken = Guarded(0)
    private let end: Int
    private let failure: TestError?

    init(end: Int, failure: TestError? = nil) {
      self.end = end
      self.failure = failure
    }

    var count: Int { taken.withLock { $0 } }

    func makeAsyncIterator() -> Numbers { self }

    func next() async throws(TestError) -> Int? {
      try await next(isolation: nil)
    }

    func next(isolation actor: isolated (any Actor)?) async throws(TestError) -> Int? {
      let number = taken.withLock { taken in
        taken += 1
        return taken
      }
      if number <= end { return number }
      if let failure { throw failure }
      return nil
    }
  }

  @Test("takes no more elements than requested")
  func demand() async throws {
    let numbers = Numbers(end: 10)
    let recorder = RecordingSubscriber<Int, TestError>(.none)
    numbers.publisher.subscribe(recorder)
    #expect(recorder.descriptions == ["AsyncSequence"])
    recorder.request(.max(2))
    try await Patience.suspend(for: "two values") { recorder.values.count == 2 }
    recorder.request(.max(1))
    try await Patience.suspend(for: "a third value") { recorder.values.count == 3 }
    #expect(recorder.values == [1, 2, 3])
    #expect(numbers.count == 3)
    recorder.request(.unlimited)
    try await Patience.suspend(for: "the end") { recorder.isFinished }
    #expect(recorder.values == Array(1...10))
    #expect(recorder.violations == [])
  }

  @Test("meets the demand that `receive` returns")
  func returnedDemand() async throws {
    let recorder = RecordingSubscriber<Int, TestError>(.max(1)) { $1 < 500 ? .max(1) : .none }
    Numbers(end: 1000).publisher.subscribe(recorder)
    try await Patience.suspend(for: "500 values") { recorder.values.count == 500 }
    #expect(recorder.values == Array(1...500))
    recorder.cancel()
  }

  @Test("fails as the sequence does")
  func failure() async throws {
    let recorder = RecordingSubscriber<Int, TestError>(.unlimited)
    Numbers(end: 2, failure: TestError()).publisher.subscribe(recorder)
    try await Patience.suspend(for: "the failure") { recorder.failure != nil }
    #expect(recorder.values == [1, 2])
    #expect(recorder.failure != nil)
  }

  @Test("ends the sequence when it is cancelled")
  func cancellation() async throws {
    let ended = Guarded(false)
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    continuation.onTermination = { _ in ended.withLock { $0 = true } }
    let recorder = RecordingSubscriber<Int, Never>(.unlimited)
    stream.publisher.subscribe(recorder)
    continuation.yield(1)
    try await Patience.suspend(for: "the first value") { recorder.values == [1] }
    recorder.cancel()
    try await Patience.suspend(for: "the end of the stream") { ended.withLock { $0 } }
    #expect(ended.withLock { $0 })
    #expect(recorder.values == [1])
  }

  /// A sequence with a weak reference to its iterator.
  final class Remembering: AsyncSequence {
    final class Iterator: AsyncIteratorProtocol {
      func next() async -> Int? { 1 }
    }

    weak var iterator: Iterator?

    func makeAsyncIterator() -> Iterator {
      let iterator = Iterator()
      self.iterator = iterator
      return iterator
    }
  }

  @Test("releases the iterator when it is cancelled without demand")
  func cancellationWithoutDemand() {
    let sequence = Remembering()
    let recorder = RecordingSubscriber<Int, Never>(.none)
    sequence.publisher.subscribe(recorder)
    #expect(sequence.iterator != nil)
    recorder.cancel()
    recorder.request(.max(1))
    #expect(sequence.iterator == nil)
    #expect(recorder.values == [])
    #expect(recorder.violations == [])
  }

  @Test("sends nothing after cancellation and nothing unrequested, with several threads")
  func race() async throws {
    for _ in 0..<200 {
      let recorder = RecordingSubscriber<Int, TestError>(.none)
      let shared = Unchecked(recorder)
      Numbers(end: 50).publisher.subscribe(recorder)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          group.addTask { for _ in 0..<10 { shared.value.request(.max(1)) } }
        }
        group.addTask {
          try await Patience.suspend(for: "five values") { shared.value.values.count >= 5 }
          shared.value.subscription?.cancel()
        }
        try await group.waitForAll()
      }
      // The number of values before the cancellation varies.
      let values = recorder.values
      #expect(values == Array(1...max(1, values.count)))
      #expect(recorder.violations == [])
    }
  }

  @Test("values.publisher keeps all elements")
  func roundTrip() async {
    var seen: [Int] = []
    let publisher = (1...100).publisher.values.publisher.map { $0 * 2 }
    for await value in publisher.values { seen.append(value) }
    #expect(seen == (1...100).map { $0 * 2 })
  }
}
