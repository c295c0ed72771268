import Glibc

/// The three descriptors that a process begins with.
public enum StandardStreams {
  /// Opens what can be neither read nor written in the place of those that the process was started
  /// without; otherwise the next file or socket would be taken for one.
  ///
  /// To be called before anything is opened.
  public static func openMissing() {
    let modes = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    for (descriptor, mode) in modes where fcntl(descriptor, F_GETFD) == -1 {
      _ = unsafe open("/dev/null", mode)
    }
  }

  /// Whether something can be written to the standard output.
  public static var takeOutput: Bool {
    let flags = fcntl(STDOUT_FILENO, F_GETFL)
    return flags != -1 && flags & O_ACCMODE != O_RDONLY
  }
}
