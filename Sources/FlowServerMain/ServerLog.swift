import Dispatch
import Glibc
import Synchronization

/// What the server tells on standard error, as much as is wanted.
///
/// Nobody waits for whoever reads it: lines are queued, and a thread of its own writes them. What
/// finds the queue full is left out, and in its place stands how many lines that were.
final class ServerLog: Sendable {
  let level: ServerArguments.LogLevel
  private let descriptor: Int32
  private let lines = Mutex(LogQueue())
  private let writer = DispatchQueue(label: "flow.log")

  init(level: ServerArguments.LogLevel, descriptor: Int32 = STDERR_FILENO) {
    self.level = level
    self.descriptor = descriptor
  }

  /// What whoever started the server wants to know.
  func info(_ line: String) {
    if level != .error { tell(line) }
  }

  /// What helps to find out why something is as it is.
  func debug(_ line: String) {
    if level == .debug { tell(line) }
  }

  /// What has to be told at any level.
  func error(_ line: String) { tell(line) }

  /// Waits until all is written, but not for long if nobody reads.
  func flush(within time: DispatchTimeInterval = .milliseconds(500)) {
    let done = DispatchSemaphore(value: 0)
    writer.async { @Sendable in done.signal() }
    _ = done.wait(timeout: .now() + time)
  }

  private func tell(_ line: String) {
    guard lines.withLock({ $0.add(line) }) else { return }
    writer.async { @Sendable [self] in write() }
  }

  private func write() {
    while let bytes = lines.withLock({ $0.take() }) {
      if !Console.write(bytes[...], to: descriptor) { lines.withLock { $0.writingFailed() } }
    }
  }
}
