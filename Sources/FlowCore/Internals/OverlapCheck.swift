#if DEBUG
import Synchronization
#endif

/// Ends a debug program in which two threads send signals to one subscriber at once; in release it is empty.
@frozen
@usableFromInline
struct OverlapCheck: Sendable {
  #if DEBUG
  @usableFromInline let sender = SendingThread()
  #endif

  @inlinable @inline(__always)
  init() {}

  /// Calls `send`, which may lead back here on the same thread.
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
/// The order of its memory operations is relaxed, so that it hides nothing from the thread sanitizer.
@usableFromInline
final class SendingThread: Sendable {
  private let thread = Atomic<UInt>(0)

  @usableFromInline
  init() {}

  /// Notes that this thread sends, and returns whether it did not before.
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
