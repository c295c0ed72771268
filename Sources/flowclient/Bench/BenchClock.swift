import FlowTransport
import Glibc
// Where release builds find the fields of `timespec`.
import SwiftOverlayShims

/// Nanoseconds since 1970 that only go forward, so that several machines can compare them.
struct BenchClock: Sendable {
  /// The difference to the loop's time.
  private let offset: UInt64

  init() {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    let today = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    offset = today - SystemPlatform.shared.monotonicNanoseconds
  }

  var now: UInt64 { SystemPlatform.shared.monotonicNanoseconds + offset }

  /// Converts `time` to the loop's time.
  func loopTime(_ time: UInt64) -> UInt64 { time > offset ? time - offset : 0 }

  /// Seconds that the process has spent on processors.
  static var processorTime: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
