internal import Foundation

/// State that several threads of a test share.
///
/// `Mutex` would do, but the thread sanitizer cannot look into the library where a contended one
/// waits, and reports races that are none.
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
