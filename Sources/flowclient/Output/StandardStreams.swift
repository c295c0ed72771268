import Dispatch
import Glibc

/// The three streams of the process, past every buffer of the C library.
enum StandardStreams {
  static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
  static let errorIsTerminal = isatty(STDERR_FILENO) == 1
  static let inputIsTerminal = isatty(STDIN_FILENO) == 1
  /// Whether a line of a terminal can be written anew.
  static let terminalCanErase = unsafe getenv("TERM").map { unsafe String(cString: $0) } != "dumb"

  /// Writes all of `bytes` to standard output; when nobody reads it any more, ends as SIGPIPE does.
  static func writeOutput(_ bytes: UnsafeRawBufferPointer) {
    guard let failure = unsafe writeAll(bytes, to: STDOUT_FILENO) else { return }
    if failure == EPIPE { endByBrokenPipe() }
    writeError(unsafe "flowclient: cannot write: \(String(cString: strerror(failure)))\n")
    _exit(ExitCode.cannotWrite.rawValue)
  }

  static func writeOutput(_ text: String) {
    var text = text
    text.withUTF8 { unsafe writeOutput(UnsafeRawBufferPointer($0)) }
  }

  /// Writes to standard error, where failure has nobody left to tell.
  static func writeError(_ text: String) {
    var text = text
    text.withUTF8 { unsafe writeError(UnsafeRawBufferPointer($0)) }
  }

  static func writeError(_ bytes: UnsafeRawBufferPointer) {
    _ = unsafe writeAll(bytes, to: STDERR_FILENO)
  }

  /// Reads what there is, waiting for something; 0 is the end, `nil` an error in `errno`.
  static func readInput(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    while true {
      let count = unsafe read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: wait(for: POLLIN, on: STDIN_FILENO)
      default: return nil
      }
    }
  }

  /// Ends the program as soon as nobody reads standard output any more.
  ///
  /// A write would find that too, but there may be nothing to write for long. Pipes and sockets
  /// tell; a terminal and a file have no reader that could go.
  static func endWhenOutputBreaks() {
    guard !outputIsTerminal else { return }
    DispatchQueue(label: "flowclient.output").async { @Sendable in
      var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while unsafe poll(&entry, 1, -1) == -1, errno == EINTR {}
      if entry.revents & Int16(POLLERR) != 0 { endByBrokenPipe() }
    }
  }

  /// Ends quietly, as a program does that leaves SIGPIPE alone.
  static func endByBrokenPipe() -> Never {
    end(by: SIGPIPE)
  }

  /// Ends as the signal's default action does.
  static func end(by number: Int32) -> Never {
    signal(number, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), number)
    _exit(128 + number)
  }

  /// - Returns: the error that stopped it, or `nil`.
  private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var rest = unsafe bytes
    while unsafe !rest.isEmpty {
      let count = unsafe write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        unsafe rest = unsafe UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EAGAIN {
        wait(for: POLLOUT, on: descriptor)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }

  private static func wait(for events: Int32, on descriptor: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    _ = unsafe poll(&entry, 1, -1)
  }
}
