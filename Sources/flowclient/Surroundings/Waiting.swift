import Dispatch
import FlowTransport

extension Platform {
  /// The moment `length` from now, on the clock of `monotonicNanoseconds`.
  func moment(after length: Duration) -> UInt64 {
    monotonicNanoseconds + UInt64(max(0, length.inNanoseconds))
  }

  /// Waits until `semaphore` is signalled, at most until `moment`, for ever with nil.
  ///
  /// - Returns: whether it was signalled.
  func wait(for semaphore: DispatchSemaphore, until moment: UInt64?) -> Bool {
    let most = moment.map { moment in
      let now = monotonicNanoseconds
      return moment > now ? moment - now : 0
    }
    return wait(for: semaphore, atMost: most)
  }
}
