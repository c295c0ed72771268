package import FlowTransport
import Glibc

/// The real machine and process; its streams bypass the buffers of the C library.
package final class SystemSurroundings: Surroundings {
  package let platform: any Platform
  package let executor: (any TaskExecutor)? = nil
  package let inputIsTerminal = isatty(STDIN_FILENO) == 1
  package let outputIsTerminal = isatty(STDOUT_FILENO) == 1
  package let errorIsTerminal = isatty(STDERR_FILENO) == 1

  package init() {
    StandardStreams.openMissing()
    platform = SystemPlatform.shared
  }

  package func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  // MARK: Streams

  package func writeOutput(_ bytes: UnsafeRawBufferPointer) {
    guard unsafe !SystemPlatform.write(bytes, to: STDOUT_FILENO) else { return }
    let failure = errno
    if failure == EPIPE { end(by: SIGPIPE) }
    endUnwritten(failure)
  }

  private func endUnwritten(_ failure: Int32) -> Never {
    writeError("flowclient: \(TransportError("cannot write", failure))\n")
    _exit(ExitCode.cannotWrite.rawValue)
  }

  package func writeError(_ bytes: UnsafeRawBufferPointer) {
    _ = unsafe SystemPlatform.write(bytes, to: STDERR_FILENO)
  }

  package func readInput(into buffer: UnsafeMutableRawBufferPointer) throws(ClientError) -> Int {
    while true {
      let count = unsafe read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
      default: throw ClientError(.cannotRead, "\(TransportError("cannot read", errno))")
      }
    }
  }

  package func endWhenOutputBreaks() {
    // Finds out without writing, as there may be nothing to write for long. A terminal and a file have no
    // reader that could leave.
    guard !outputIsTerminal else { return }
    guard StandardStreams.takeOutput else { endUnwritten(EBADF) }
    platform.run(after: 0) { [self] in
      var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while unsafe poll(&entry, 1, -1) == -1, errno == EINTR {}
      if entry.revents & Int16(POLLERR) != 0 { end(by: SIGPIPE) }
    }
  }

  // MARK: Signals

  package func watchSignal(_ number: Int32, _ act: @escaping @Sendable () -> Void) -> Any? {
    Self.isIgnored(number) ? nil : SystemPlatform.signalSource(number, act)
  }

  /// Whether a signal is ignored, as in a background job of a script, which must keep ignoring it.
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
