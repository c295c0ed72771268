import FlowCore
import FlowTestSupport
import Testing

@Suite("values", .timeLimit(.minutes(10)))
struct ValuesTests {
  @Test("come in order, then end")
  func all() async {
    var seen: [Int] = []
    for await value in (1...1000).publisher.values { seen.append(value) }
    #expect(seen == Array(1...1000))
  }

  @Test("are requested one at a time; releasing the iterator cancels")
  func oneAtATime() async throws {
    let probe = ProbePublisher<Int, Never>()
    do {
      var iterator = probe.values.makeAsyncIterator()
      #expect(probe.requests == [])
      async let sent: Void = sendWhenAsked(probe, 1)
      #expect(await iterator.next() == 1)
      try await sent
      #expect(probe.requests == [.max(1)])
      #expect(probe.cancels == 0)
    }
    #expect(probe.cancels == 1)
  }

  @Test("throw the failure once")
  func failure() async throws {
    var iterator = Fail<Int, TestError>(error: TestError()).values.makeAsyncIterator()
    await #expect(throws: TestError.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test("end when the task is cancelled, and the subscription with them")
  func cancellation() async throws {
    let probe = ProbePublisher<Int, Never>()
    let values = Unchecked(probe.values)
    let task = Task {
      var count = 0
      for await _ in values.value { count += 1 }
      return count
    }
    try await Patience.suspend(for: "a request") { probe.requests == [.max(1)] }
    task.cancel()
    #expect(await task.value == 0)
    #expect(probe.cancels == 1)
  }

  @Test("can be read on an actor")
  @MainActor
  func actor() async {
    var sum = 0
    for await value in [1, 2, 3].publisher.values { sum += value }
    #expect(sum == 6)
  }

  @Test("of a future is its value, awaited before or after it is known")
  func future() async throws {
    let (promise, future) = promised()
    async let early = future.value
    promise(.success(3))
    #expect(try await early == 3)
    #expect(try await future.value == 3)
    let failed = Future<Int, TestError> { $0(.failure(TestError())) }
    await #expect(throws: TestError.self) { try await failed.value }
    #expect(await Future<Int, Never> { $0(.success(1)) }.value == 1)
  }

  private typealias Promise = @Sendable (Result<Int, TestError>) -> Void

  private func promised() -> (Promise, Future<Int, TestError>) {
    let kept = PassthroughSubject<Result<Int, TestError>, Never>()
    let future = Future<Int, TestError> { promise in
      kept.subscribe(Subscribers.Sink(receiveCompletion: { _ in }, receiveValue: promise))
    }
    return ({ kept.send($0) }, future)
  }

  private func sendWhenAsked(_ probe: ProbePublisher<Int, Never>, _ value: Int) async throws {
    try await Patience.suspend(for: "a request") { probe.demand > 0 }
    _ = probe.send(value)
  }
}
