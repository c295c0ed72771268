import FlowCore
import FlowTestSupport
import Testing

@Suite("Future and Deferred")
struct FutureTests {
  @Test("runs its closure once, at once; the first promise counts, also for late subscribers")
  func firstPromiseWins() {
    var runs = 0
    let future = Future<Int, Never> { promise in
      runs += 1
      promise(.success(1))
      promise(.success(2))
    }
    #expect(runs == 1)
    #expect(future.line() == "Future 1 |")
    #expect(future.line() == "Future 1 |")
    #expect(runs == 1)
  }

  @Test("sends a value that comes later, when it has come and is asked for")
  func later() {
    var keep: Future<Int, Oops>.Promise?
    let future = Future<Int, Oops> { keep = $0 }
    let eager = future.record()
    let patient = future.record(.none)
    let gone = future.record()
    gone.cancel()
    #expect(eager.line == "Future")
    keep?(.success(1))
    #expect(eager.line == "Future 1 |")
    #expect(patient.line == "Future")
    patient.request(1)
    #expect(patient.line == "Future 1 |")
    #expect(gone.line == "Future")
  }

  @Test("a failure needs no demand")
  func failure() {
    #expect(Future<Int, Oops> { $0(.failure(Oops())) }.line(.none) == "Future ✕oops")
  }

  @Test("an end does not follow a value during which it is cancelled")
  func cancelInsideValue() {
    let log = Future<Int, Never> { $0(.success(1)) }.record { log, _ in
      log.cancel()
      return .none
    }
    #expect(log.line == "Future 1")
  }

  @Test("Deferred makes a publisher for each subscriber")
  func deferred() {
    var made = 0
    let deferred = Deferred {
      made += 1
      return Just(made)
    }
    #expect(made == 0)
    #expect(deferred.line() == "Just 1 |")
    #expect(deferred.line() == "Just 2 |")
  }
}
