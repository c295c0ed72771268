internal import FlowNATS

/// The attempts at something that is tried until it succeeds.
struct Retry {
  /// The number of the current attempt.
  private(set) var attempt = 0
  private var backoff: Backoff

  /// Makes one whose pauses grow from `first` to `most` nanoseconds.
  init(_ first: Int64 = 50_000_000, _ most: Int64 = 1_000_000_000) {
    backoff = Backoff(first, most)
  }

  /// Begins another attempt; answers to earlier ones are ignored from then on.
  mutating func begin() { attempt += 1 }

  /// Returns the pause before the next attempt, in nanoseconds.
  mutating func pause() -> Int64 { backoff.next() }

  /// Begins the pauses anew, after a success.
  mutating func reset() { backoff.reset() }
}

/// An object that hears only the answers to its current attempt.
protocol Retrying: AnyObject {
  var retry: Retry { get }
}

extension Retrying {
  /// Returns a closure that calls `body`, unless another attempt has begun by then or the object is gone.
  func ifCurrent<Answer>(_ body: @escaping (Self, Answer) -> Void) -> (Answer) -> Void {
    let attempt = retry.attempt
    return { [weak self] answer in
      guard let self, retry.attempt == attempt else { return }
      body(self, answer)
    }
  }

  /// The same for a closure that gets no answer, as that of a timer.
  func ifCurrent(_ body: @escaping (Self) -> Void) -> () -> Void {
    let attempt = retry.attempt
    return { [weak self] in
      guard let self, retry.attempt == attempt else { return }
      body(self)
    }
  }
}

/// Closures that wait for one answer.
final class Waiters<Answer> {
  private var waiting: [(Answer) -> Void] = []

  var isEmpty: Bool { waiting.isEmpty }
  var count: Int { waiting.count }

  func add(_ done: @escaping (Answer) -> Void) { waiting.append(done) }

  /// Calls the closures that wait now; what they add waits for the next answer.
  func answer(_ answer: Answer) {
    let now = removeAll()
    for done in now { done(answer) }
  }

  /// Forgets the closures that wait, and returns them.
  @discardableResult
  func removeAll() -> [(Answer) -> Void] {
    defer { waiting.removeAll() }
    return waiting
  }
}
