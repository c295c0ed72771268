import Synchronization

/// Guards the state beside it.
///
/// A few lines over `Mutex`, which alone refuses state that is not `Sendable`. Nothing of the
/// user's is ever called while it is held.
@usableFromInline
struct Lock: ~Copyable, Sendable {
  private let mutex = Mutex(())

  @usableFromInline
  init() {}

  /// Runs `body`, which reads and changes the guarded state, while no other thread does.
  @usableFromInline
  func withLock<R>(_ body: () -> R) -> R {
    mutex._unsafeLock()
    defer { mutex._unsafeUnlock() }
    return body()
  }
}
