import Glibc

/// Cuts what a command writes into lines, and keeps the last words of its standard error.
///
/// A line ends at LF alone, so that every value without one goes through as it is.
struct CommandReader {
  struct LineTooLong: Error {
    let limit: Int
  }

  private let largestLine: Int
  private var bytes: [UInt8] = []
  private var start = 0
  /// The number of bytes that are known to contain no line end.
  private var searched = 0
  private var isAtEnd = false
  private var lastWords: [UInt8] = []

  init(largestLine: Int) { self.largestLine = largestLine }

  /// Whether there is a line, or will be none.
  var isReady: Bool {
    mutating get { lineEnd() != nil || isAtEnd || bytes.count - start > largestLine }
  }

  /// Whether all lines have been taken.
  var isThrough: Bool { isAtEnd && start == bytes.count }

  mutating func add(_ more: ArraySlice<UInt8>) {
    bytes.removeFirst(start)
    searched -= start
    start = 0
    bytes += more
  }

  mutating func end() { isAtEnd = true }

  /// Removes the next line, and returns it without its end.
  mutating func next() throws(LineTooLong) -> [UInt8]? {
    guard isReady, start < bytes.count else { return nil }
    let end = lineEnd() ?? bytes.count
    let line = bytes[start..<end]
    if line.count > largestLine { throw LineTooLong(limit: largestLine) }
    start = min(end + 1, bytes.count)
    return Array(line)
  }

  private mutating func lineEnd() -> Int? {
    searched = max(searched, start)
    let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
    searched = end ?? bytes.count
    return end
  }

  // MARK: Standard error

  mutating func add(remarks: ArraySlice<UInt8>) {
    lastWords += remarks
    if lastWords.count > 8192 { lastWords.removeFirst(lastWords.count - 4096) }
  }

  /// The last line of standard error that is not empty.
  var lastRemark: String? {
    let lines = lastWords.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    return lines.last.map { String(decoding: $0, as: UTF8.self) }
  }
}
