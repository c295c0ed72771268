package import FlowTransport
import Glibc

/// The machine and the process; its streams go past every buffer of the C library.
package final class SystemSurroundings: Surroundings {
  package let platform: any Platform = SystemPlatform.shared
  package let executor: (any TaskExecutor)? = nil
  package let inputIsTerminal = isatty(STDIN_FILENO) == 1
  package let outputIsTerminal = isatty(STDOUT_FILENO) == 1
  package let errorIsTerminal = isatty(STDERR_FILENO) == 1

  package func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  // MARK: Streams

  package func writeOutput(_ bytes: UnsafeRawBufferPointer) {
    guard let failure = unsafe Self.writeAll(bytes, to: STDOUT_FILENO) else { return }
    if failure == EPIPE { end(by: SIGPIPE) }
    writeError(unsafe "flowclient: cannot write: \(String(cString: strerror(failure)))\n")
    _exit(ExitCode.cannotWrite.rawValue)
  }

  package func writeError(_ bytes: UnsafeRawBufferPointer) {
    _ = unsafe Self.writeAll(bytes, to: STDERR_FILENO)
  }

  package func readInput(into buffer: UnsafeMutableRawBufferPointer) throws(ClientError) -> Int {
    while true {
      let count = unsafe read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN: Self.wait(for: POLLIN, on: STDIN_FILENO)
      default:
        throw ClientError(.cannotRead, unsafe "cannot read: \(String(cString: strerror(errno)))")
      }
    }
  }

  package func endWhenOutputBreaks() {
    // A write would find that too, but there may be nothing to write for long. Pipes and sockets
    // tell; a terminal and a file have no reader that could go.
    guard !outputIsTerminal else { return }
    platform.run(after: 0) { [self] in
      var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while unsafe poll(&entry, 1, -1) == -1, errno == EINTR {}
      if entry.revents & Int16(POLLERR) != 0 { end(by: SIGPIPE) }
    }
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

  // MARK: Signals

  package func watchSignal(_ number: Int32, _ act: @escaping @Sendable () -> Void) -> Any? {
    Self.isIgnored(number) ? nil : SystemPlatform.signalSource(number, act)
  }

  /// A program started in the background by a script must go on ignoring them.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    unsafe sigaction(number, nil, &action)
    // memory 7
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  package func end(by number: Int32) {
    signal(number, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), number)
    _exit(128 + number)
  }
}
