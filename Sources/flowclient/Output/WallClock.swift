import Glibc
// Release builds find the fields of `timeval` here.
import SwiftOverlayShims

enum WallClock {
  /// The local time in milliseconds: `12:30:25.104`.
  static func now() -> String {
    var time = timeval()
    unsafe gettimeofday(&time, nil)
    var parts = unsafe tm()
    unsafe localtime_r(&time.tv_sec, &parts)
    return unsafe text(
      hour: parts.tm_hour,
      minute: parts.tm_min,
      second: parts.tm_sec,
      millisecond: Int32(time.tv_usec / 1000)
    )
  }

  static func text(hour: Int32, minute: Int32, second: Int32, millisecond: Int32) -> String {
    "\(pad(hour, 2)):\(pad(minute, 2)):\(pad(second, 2)).\(pad(millisecond, 3))"
  }

  private static func pad(_ number: Int32, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
