import Glibc

/// Lines for whoever started the server, written at once.
enum Console {
  static func output(_ text: String) { write(Array(text.utf8)[...], to: STDOUT_FILENO) }

  static func error(_ line: String) { write(Array("\(line)\n".utf8)[...], to: STDERR_FILENO) }

  /// Writes all of `bytes`, waiting for whoever reads them; returns whether they are written.
  @discardableResult
  static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN, waitForRoom(in: descriptor) { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Another program that has the same file or pipe may have made it one that does not wait.
  private static func waitForRoom(in descriptor: Int32) -> Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&state, 1, -1) > 0 || errno == EINTR
  }
}
