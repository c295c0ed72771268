import Glibc

/// Formats nanoseconds since 1970 as calendar times.
enum WallTime {
  /// As `12:30:25.104`, in local time.
  static func ofDay(_ time: Int64) -> String {
    var seconds = time_t(time / billion)
    var parts = unsafe tm()
    unsafe localtime_r(&seconds, &parts)
    return unsafe clock(parts.tm_hour, parts.tm_min, parts.tm_sec, time)
  }

  /// As `2026-11-25T09:30:25.104Z`.
  static func full(_ time: Int64) -> String {
    var seconds = time_t(time / billion)
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    let date = unsafe [(parts.tm_year + 1900, 4), (parts.tm_mon + 1, 2), (parts.tm_mday, 2)]
    let clock = unsafe clock(parts.tm_hour, parts.tm_min, parts.tm_sec, time)
    return date.map { digits($0, $1) }.joined(separator: "-") + "T\(clock)Z"
  }

  private static let billion: Int64 = 1_000_000_000

  private static func clock(_ hour: Int32, _ minute: Int32, _ second: Int32, _ time: Int64)
    -> String
  {
    let milliseconds = Int32(time % billion / 1_000_000)
    return [hour, minute, second].map { digits($0, 2) }.joined(separator: ":")
      + ".\(digits(milliseconds, 3))"
  }

  private static func digits(_ number: Int32, _ count: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}
