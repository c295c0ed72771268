// The only file that knows threads: who calls, and how to wait.
internal import Glibc

/// The identity of the thread that calls: never 0, and a multiple of 4.
@usableFromInline
func currentThread() -> UInt { UInt(pthread_self()) }

/// Lets another thread run.
func yieldThread() { sched_yield() }

/// Where threads sleep that wait for a lock or an owner word, whichever it is.
@usableFromInline
@safe  // memory 9
final class ParkingLot: @unchecked Sendable {  // both pointers are for the C library's use only
  private static let shared = ParkingLot()

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let left = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  private init() {
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(left, nil)
  }

  /// Sleeps until `condition` holds; it is asked again whenever a thread has left its word.
  static func park(until condition: () -> Bool) {
    unsafe pthread_mutex_lock(shared.mutex)
    while !condition() { unsafe pthread_cond_wait(shared.left, shared.mutex) }
    unsafe pthread_mutex_unlock(shared.mutex)
  }

  /// Lets all that sleep look again.
  @usableFromInline @inline(never)
  static func wakeAll() {
    unsafe pthread_mutex_lock(shared.mutex)
    unsafe pthread_cond_broadcast(shared.left)
    unsafe pthread_mutex_unlock(shared.mutex)
  }
}
