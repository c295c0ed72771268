import Glibc

/// Where standard error goes.
struct LogOutput: Equatable {
  var isTerminal: Bool
  var isJournal: Bool

  /// Compares `JOURNAL_STREAM` with the file, because redirected children inherit it.
  init(isTerminal: Bool, device: UInt64, inode: UInt64, environment: [String: String]) {
    self.isTerminal = isTerminal
    isJournal = environment[Self.variable] == "\(device):\(inode)"
  }

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

  /// Names the journal's file as `DEVICE:INODE`; see systemd.exec(5).
  static let variable = "JOURNAL_STREAM"
}
