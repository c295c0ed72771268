internal import Foundation

/// State that several threads of a test share.
///
/// This is not a `Mutex`, since the thread sanitizer does not see how a contended `Mutex` is passed on,
/// and would report false races.
public final class Guarded<State>: @unchecked Sendable {  // only touched while the lock is held
  private let lock = NSLock()
  private var state: State

  public init(_ state: State) { self.state = state }

  public func withLock<R>(_ body: (inout State) throws -> R) rethrows -> R {
    lock.lock()
    defer { lock.unlock() }
    return try body(&state)
  }
}
