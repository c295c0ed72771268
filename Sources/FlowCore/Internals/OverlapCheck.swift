#if DEBUG
import Synchronization

/// Stops a debug build when two threads send signals to one subscriber at the same time.
///
/// Its memory operations are relaxed, so that they hide no data race from the thread sanitizer.
@usableFromInline
final class OverlapCheck: Sendable {
  private let thread = Atomic<UInt>(0)

  @usableFromInline
  init() {}

  /// Calls `send`; the same thread may call this again from inside it.
  @usableFromInline
  func during<R>(_ send: () -> R) -> R {
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
    defer { if isOutermost { thread.store(0, ordering: .relaxed) } }
    return send()
  }
}
#endif
