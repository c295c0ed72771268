// Who holds a lock is told apart by the thread's own pointer.
internal import Glibc
public import Synchronization

/// The identity of the thread that calls; never 0.
@usableFromInline
func currentThread() -> UInt { UInt(pthread_self()) }

/// A word that says which thread delivers; the same thread may enter again.
///
/// It is held while values are delivered, so that signals never overlap. Others wait: first
/// spinning, then giving up their time slice, then sleeping for moments.
@frozen
@usableFromInline
struct OwnerLock: ~Copyable, Sendable {
  @usableFromInline let owner = Atomic<UInt>(0)
  @usableFromInline let depth = Atomic<Int>(0)

  @inlinable
  init() {}

  /// Waits until no other thread is inside.
  @inlinable @inline(__always)
  func enter() {
    let me = currentThread()
    if owner.load(ordering: .relaxed) == me {
      depth.store(depth.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    } else if !owner.weakCompareExchange(expected: 0, desired: me, ordering: .acquiring).exchanged {
      enterWhenFree(me)
    }
  }

  /// Leaves as often as entered.
  @inlinable @inline(__always)
  func exit() {
    let inside = depth.load(ordering: .relaxed)
    if inside > 0 {
      depth.store(inside &- 1, ordering: .relaxed)
    } else {
      owner.store(0, ordering: .releasing)
    }
  }

  @usableFromInline @inline(never)
  func enterWhenFree(_ me: UInt) {
    var tries = 0
    while true {
      if owner.load(ordering: .relaxed) == 0,
        owner.weakCompareExchange(expected: 0, desired: me, ordering: .acquiring).exchanged
      {
        return
      }
      tries += 1
      if tries > 200 { usleep(50) } else if tries > 100 { sched_yield() }
    }
  }
}
