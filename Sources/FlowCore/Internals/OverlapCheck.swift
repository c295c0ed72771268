#if DEBUG
import Synchronization
#endif

/// Stops a debug build when two threads send signals to one subscriber at the same time; empty in release.
@frozen
@usableFromInline
struct OverlapCheck: Sendable {
  #if DEBUG
  @usableFromInline let sender = SendingThread()
  #endif

  @inlinable @inline(__always)
  init() {}

  /// Calls `send`; the same thread may call this again from inside it.
  @inlinable @inline(__always)
  @discardableResult
  func during<R>(_ send: () -> R) -> R {
    #if DEBUG
    let isOutermost = sender.enter()
    defer { if isOutermost { sender.leave() } }
    #endif
    return send()
  }
}

#if DEBUG
/// The thread that sends signals to a subscriber.
///
/// Its memory operations are relaxed, so that they hide no data race from the thread sanitizer.
@usableFromInline
final class SendingThread: Sendable {
  private let thread = Atomic<UInt>(0)

  @usableFromInline
  init() {}

  /// Records that this thread sends; returns whether it did not before.
  @usableFromInline
  func enter() -> Bool {
    let me = currentThread()
    let (isOutermost, other) = thread.compareExchange(
      expected: 0,
      desired: me,
      ordering: .relaxed
    )
    precondition(
      isOutermost || other == me,
      "two threads send signals to one subscriber at once: a publisher must send one after the other"
    )
    return isOutermost
  }

  @usableFromInline
  func leave() { thread.store(0, ordering: .relaxed) }
}
#endif
