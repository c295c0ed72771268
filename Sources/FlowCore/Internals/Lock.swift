public import Synchronization

/// Guards the state beside it.
///
/// A few lines over `Mutex`, which alone refuses state that is not `Sendable`. Nothing of the
/// user's is ever called while it is held.
@frozen
@usableFromInline
package struct Lock: ~Copyable, Sendable {
  @usableFromInline let mutex = Mutex(())
  /// Says once more what the mutex guarantees, in a way that the thread sanitizer sees.
  ///
  /// It cannot look into the library, where a contended mutex waits; this costs a plain move.
  @usableFromInline let order = Atomic(false)

  @inlinable
  package init() {}

  /// Runs `body`, which reads and changes the guarded state, while no other thread does.
  @inlinable @inline(__always)
  package func withLock<R>(_ body: () -> R) -> R {
    mutex._unsafeLock()
    _ = order.load(ordering: .acquiring)
    defer {
      order.store(false, ordering: .releasing)
      mutex._unsafeUnlock()
    }
    return body()
  }
}
