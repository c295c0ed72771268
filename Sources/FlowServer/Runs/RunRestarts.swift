/// Schedules the restarts of a failed run; the wait doubles with each failure.
///
/// If the run lived longer than the last wait, and than a second, the wait is the first one again.
struct RunRestarts {
  /// The longest wait, unless the first one is longer.
  static let longest: Int64 = 60_000_000_000
  private static let shortestLife: Int64 = 1_000_000_000

  private(set) var count = 0
  private let first: Int64
  private var last: Int64 = 0
  private var began: Int64
  private var due: Int64 = 0
  /// Identifies the present wait.
  private(set) var number = 0

  /// Times are in nanoseconds.
  init(after first: Int64, now: Int64) {
    self.first = first
    began = now
  }

  /// Records a failure; returns how long to wait.
  mutating func wait(from now: Int64) -> Int64 {
    let isSteady = last == 0 || now - began >= max(last, Self.shortestLife)
    last = isSteady ? first : min(last * 2, max(first, Self.longest))
    due = now + last
    number += 1
    return last
  }

  mutating func start(at now: Int64) {
    count += 1
    began = now
  }

  mutating func cancel() { number += 1 }

  /// Milliseconds until the restart.
  func left(at now: Int64) -> Int64 { max(0, due - now) / 1_000_000 }
}
