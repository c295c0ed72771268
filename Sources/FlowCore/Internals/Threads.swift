// The only file that knows threads: who calls, and how to wait.
internal import Glibc

/// The identity of the thread that calls: never 0, and a multiple of 4.
@usableFromInline
func currentThread() -> UInt { UInt(pthread_self()) }

/// Lets another thread run.
func yieldThread() { sched_yield() }

/// Where threads sleep that wait for an owner word, whichever it is.
final class ParkingLot: @unchecked Sendable {  // both pointers are for the C library's use only
  static let shared = ParkingLot()

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let left = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  private init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(left, nil)
  }

  /// Sleeps until `condition` holds; it is asked again whenever a thread has left its word.
  func park(until condition: () -> Bool) {
    pthread_mutex_lock(mutex)
    while !condition() { pthread_cond_wait(left, mutex) }
    pthread_mutex_unlock(mutex)
  }

  /// Lets all that sleep look again.
  func wakeAll() {
    pthread_mutex_lock(mutex)
    pthread_cond_broadcast(left)
    pthread_mutex_unlock(mutex)
  }
}
