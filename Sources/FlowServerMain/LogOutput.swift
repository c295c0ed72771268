import Glibc

/// What standard error leads to.
struct LogOutput: Equatable {
  var isTerminal: Bool
  /// Whether it is the journal of systemd.
  var isJournal: Bool

  /// What the environment says counts only for the very file that it names: a child whose output
  /// was led elsewhere inherits it too.
  init(isTerminal: Bool, device: UInt64, inode: UInt64, environment: [String: String]) {
    self.isTerminal = isTerminal
    isJournal = environment[Self.variable] == "\(device):\(inode)"
  }

  /// Standard error as it is.
  static func standardError(_ environment: [String: String]) -> Self {
    var file = stat()
    guard unsafe fstat(STDERR_FILENO, &file) == 0 else {
      return Self(isTerminal: false, device: 0, inode: 0, environment: [:])
    }
    return Self(
      isTerminal: isatty(STDERR_FILENO) == 1,
      device: UInt64(file.st_dev),
      inode: UInt64(file.st_ino),
      environment: environment
    )
  }

  /// Where systemd says what the journal reads, as `DEVICE:INODE`: see systemd.exec(5).
  static let variable = "JOURNAL_STREAM"
}
