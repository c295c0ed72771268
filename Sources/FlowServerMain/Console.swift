import Glibc

/// Lines for whoever started the server, written at once.
enum Console {
  static func output(_ text: String) { write(text, to: STDOUT_FILENO) }

  static func error(_ line: String) { write("\(line)\n", to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
