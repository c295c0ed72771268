import Glibc

public enum StandardStreams {
  /// Opens a dummy for each descriptor that the process was started without.
  ///
  /// Otherwise the next file or socket would be taken for a standard stream. Call it before
  /// anything is opened.
  public static func openMissing() {
    let modes = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    for (descriptor, mode) in modes where fcntl(descriptor, F_GETFD) == -1 {
      _ = unsafe open("/dev/null", mode)
    }
  }

  /// Whether the standard output can be written to.
  public static var takeOutput: Bool {
    let flags = fcntl(STDOUT_FILENO, F_GETFL)
    return flags != -1 && flags & O_ACCMODE != O_RDONLY
  }
}
