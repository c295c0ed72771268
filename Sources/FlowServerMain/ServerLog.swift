import Dispatch
package import FlowTransport
import Synchronization

/// What the server tells on standard error, as much as is wanted.
///
/// Nobody waits for whoever reads it: lines are queued, and a thread of its own writes them. What
/// finds the queue full is left out, and in its place stands how many lines that were.
package final class ServerLog: Sendable {
  let level: ServerArguments.LogLevel
  private let platform: any Platform
  private let lines = Mutex(LogQueue())

  package init(level: ServerArguments.LogLevel, platform: any Platform = SystemPlatform.shared) {
    self.level = level
    self.platform = platform
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
  func flush(withinNanoseconds time: UInt64 = 500_000_000) {
    let done = DispatchSemaphore(value: 0)
    guard lines.withLock({ $0.tellWhenWritten(done) }) else { return }
    _ = platform.wait(for: done, atMost: time)
  }

  private func tell(_ line: String) {
    guard lines.withLock({ $0.add(line) }) else { return }
    platform.run(after: 0) { @Sendable [self] in write() }
  }

  private func write() {
    while let bytes = lines.withLock({ $0.take() }) {
      if !platform.log(bytes[...]) { lines.withLock { $0.writingFailed() } }
    }
  }
}
