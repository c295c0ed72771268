/// What the server tells on standard error, as much as is wanted.
struct ServerLog: Sendable {
  let level: ServerArguments.LogLevel

  /// What whoever started the server wants to know.
  func info(_ line: String) {
    if level != .error { Console.error(line) }
  }

  /// What helps to find out why something is as it is.
  func debug(_ line: String) {
    if level == .debug { Console.error(line) }
  }
}
