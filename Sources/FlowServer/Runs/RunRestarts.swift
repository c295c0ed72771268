/// When a run that has failed is started again: after a time that doubles with each failure.
///
/// After a life that was longer than the last wait, and than a second, it is the first time again.
struct RunRestarts {
  /// It does not double beyond this, unless the first time is longer.
  static let longest: Int64 = 60_000_000_000
  private static let shortestLife: Int64 = 1_000_000_000

  /// How often the run was started again.
  private(set) var count = 0
  private let first: Int64
  private var last: Int64 = 0
  private var began: Int64
  private var due: Int64 = 0
  /// Tells each wait from those before.
  private(set) var number = 0

  /// Times are in nanoseconds.
  init(after first: Int64, now: Int64) {
    self.first = first
    began = now
  }

  /// The run has failed: how long to wait.
  mutating func wait(from now: Int64) -> Int64 {
    let isSteady = last == 0 || now - began >= max(last, Self.shortestLife)
    last = isSteady ? first : min(last * 2, max(first, Self.longest))
    due = now + last
    number += 1
    return last
  }

  /// The wait is over.
  mutating func start(at now: Int64) {
    count += 1
    began = now
  }

  /// Ends a wait, if there is one.
  mutating func cancel() { number += 1 }

  /// Milliseconds that are left to wait.
  func left(at now: Int64) -> Int64 { max(0, due - now) / 1_000_000 }
}
