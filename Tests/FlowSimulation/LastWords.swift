import Glibc

/// What is written to standard error when the process crashes.
enum LastWords {
  private static let most = 256
  // Written before a story begins, read by the handler of the thread that has crashed in it.
  private nonisolated(unsafe) static let bytes = UnsafeMutablePointer<UInt8>.allocate(
    capacity: most
  )
  private nonisolated(unsafe) static var count = 0

  static func set(_ text: String) {
    count = min(text.utf8.count, most)
    for (index, byte) in text.utf8.prefix(most).enumerated() { bytes[index] = byte }
  }

  /// What nothing comes of for so many seconds ends the process, with these words.
  static func limit(to seconds: UInt32) { alarm(seconds) }

  /// From now on they are said once; whoever handled crashes before does so behind them.
  static func prepare() {
    signal(SIGALRM) { _ in
      LastWords.say()
      _exit(1)
    }
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT] { handle(number) }
  }

  private nonisolated(unsafe) static var before: [Int32: sigaction] = [:]

  private static func say() { write(STDERR_FILENO, bytes, count) }

  private static func say(_ number: Int32) {
    say()
    // The instruction is run again, and meets the handler that was there.
    if var old = before[number] { sigaction(number, &old, nil) }
  }

  private static func handle(_ number: Int32) {
    var old = sigaction()
    sigaction(number, nil, &old)
    before[number] = old
    var new = sigaction()
    new.__sigaction_handler.sa_handler = { LastWords.say($0) }
    sigaction(number, &new, nil)
  }
}
