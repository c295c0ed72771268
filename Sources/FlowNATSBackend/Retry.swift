internal import FlowNATS

/// Counts the attempts at something that is repeated until it succeeds.
struct Retry {
  private(set) var attempt = 0
  private var backoff: Backoff

  /// Pauses grow from `first` to `most`, in nanoseconds.
  init(_ first: Int64 = 50_000_000, _ most: Int64 = 1_000_000_000) {
    backoff = Backoff(first, most)
  }

  /// Begins another attempt, so that answers to earlier ones are ignored.
  mutating func begin() { attempt += 1 }

  /// Whether there was no pause since the last success.
  var isFirst: Bool { backoff.isFirst }

  /// Returns the pause before the next attempt, in nanoseconds.
  mutating func pause() -> Int64 { backoff.next() }

  /// Resets the pauses after a success.
  mutating func reset() { backoff.reset() }
}

protocol Retrying: AnyObject {
  var retry: Retry { get }
}

extension Retrying {
  /// Wraps `body`; does nothing if another attempt has begun or the object is gone.
  func ifCurrent<Answer>(_ body: @escaping (Self, Answer) -> Void) -> (Answer) -> Void {
    let attempt = retry.attempt
    return { [weak self] answer in
      guard let self, retry.attempt == attempt else { return }
      body(self, answer)
    }
  }

  func ifCurrent(_ body: @escaping (Self) -> Void) -> () -> Void {
    let attempt = retry.attempt
    return { [weak self] in
      guard let self, retry.attempt == attempt else { return }
      body(self)
    }
  }
}

final class Waiters<Answer> {
  private var waiting: [(Answer) -> Void] = []

  var isEmpty: Bool { waiting.isEmpty }
  var count: Int { waiting.count }

  func add(_ done: @escaping (Answer) -> Void) { waiting.append(done) }

  /// Calls all closures; those added meanwhile wait for the next answer.
  func answer(_ answer: Answer) {
    let now = removeAll()
    for done in now { done(answer) }
  }

  /// Removes and returns the closures.
  @discardableResult
  func removeAll() -> [(Answer) -> Void] {
    defer { waiting.removeAll() }
    return waiting
  }
}
