import Glibc

/// How long a test waits for what comes at once, before it says that it never came.
///
/// Long, since a machine may be busy with other things; only what is broken waits so long.
public enum Patience {
  public static let seconds = 120

  /// Asks again and again whether something holds, and returns whether it has come to hold.
  public static func waits(until holds: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    repeat {
      if try holds() { return true }
      sched_yield()
    } while ContinuousClock.now < deadline
    return false
  }
}
