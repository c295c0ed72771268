// The only file that knows threads: who calls, and how to wait.
internal import Glibc

/// The identity of the thread that calls: never 0, and a multiple of 4.
@usableFromInline
func currentThread() -> UInt { UInt(pthread_self()) }

/// Lets another thread run.
func yieldThread() { sched_yield() }

/// Where threads sleep that wait for an owner word, whichever it is.
@safe  // memory 9
final class ParkingLot: @unchecked Sendable {  // both pointers are for the C library's use only
  static let shared = ParkingLot()

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let left = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  private init() {
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(left, nil)
  }

  /// Sleeps until `condition` holds; it is asked again whenever a thread has left its word.
  func park(until condition: () -> Bool) {
    unsafe pthread_mutex_lock(mutex)
    while !condition() { unsafe pthread_cond_wait(left, mutex) }
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Lets all that sleep look again.
  func wakeAll() {
    unsafe pthread_mutex_lock(mutex)
    unsafe pthread_cond_broadcast(left)
    unsafe pthread_mutex_unlock(mutex)
  }
}
