#if DEBUG
import Synchronization

/// Ends a debug program in which two threads send signals to one subscriber at once.
///
/// The order of its memory operations is relaxed, so that it hides nothing from the thread sanitizer.
@usableFromInline
final class OverlapCheck: Sendable {
  private let thread = Atomic<UInt>(0)

  @usableFromInline
  init() {}

  /// Calls `send`, which may lead back here on the same thread.
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
