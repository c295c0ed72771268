package import FlowTransport

/// Numbers the attempts to connect, and computes the delay before each.
///
/// A connection that breaks soon counts as a failed attempt, because opening a stream may have
/// broken it.
package struct Attempts: Equatable, Sendable {
  /// The number of the current attempt; the outcome of an earlier one is ignored.
  private(set) var number = 0
  private var failed = 0
  /// When the connection was opened, in nanoseconds of the platform's clock.
  private var opened: UInt64?

  package init() {}

  /// Begins another attempt, abandoning a current one; returns its number.
  @discardableResult
  mutating func begin() -> Int {
    number += 1
    return number
  }

  package mutating func succeed(at now: UInt64) { opened = now }

  /// Counts a failed attempt or a lost connection; returns the delay before the next attempt.
  package mutating func fail(
    at now: UInt64,
    _ backoff: Backoff,
    on platform: any Platform
  ) -> Duration {
    if let opened, now - opened >= backoff.longest.inNanoseconds { failed = 0 }
    opened = nil
    defer { failed += 1 }
    return backoff.delay(beforeAttempt: failed, on: platform)
  }
}
