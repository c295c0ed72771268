import Dispatch
import FlowTransport

extension Platform {
  /// The monotonic time `length` from now.
  func moment(after length: Duration) -> UInt64 {
    monotonicNanoseconds + UInt64(max(0, length.inNanoseconds))
  }

  /// Waits for `semaphore` until `moment`, or for ever with nil; returns whether it was signalled.
  func wait(for semaphore: DispatchSemaphore, until moment: UInt64?) -> Bool {
    let most = moment.map { moment in
      let now = monotonicNanoseconds
      return moment > now ? moment - now : 0
    }
    return wait(for: semaphore, atMost: most)
  }
}
