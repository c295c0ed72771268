import Dispatch
package import FlowServer
package import FlowTransport
import Synchronization

/// Writes events to standard error, one per line.
///
/// A separate thread writes the queued lines, so the server never waits. If the queue is full,
/// lines are dropped, and a line with their count takes their place.
package final class ServerLog: Sendable {
  let level: ServerLogEvent.Level
  let layout: LogLayout
  private let platform: any Platform
  private let lines: Mutex<LogQueue>

  package init(
    level: ServerLogEvent.Level,
    layout: LogLayout = LogLayout(.logfmt),
    platform: any Platform = SystemPlatform.shared
  ) {
    self.level = level
    self.layout = layout
    self.platform = platform
    lines = Mutex(
      LogQueue { @Sendable count in
        let missing = [ServerLogEvent.Field.number("count", count)]
        let event = ServerLogEvent(.warning, "left-out", LogQueue.missing(count), missing)
        return layout.line(event, at: platform.calendarNanoseconds)
      }
    )
  }

  /// Logs an event if its level is high enough; its parts are evaluated only then.
  func log(
    _ level: ServerLogEvent.Level,
    _ event: String,
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> [ServerLogEvent.Field] = []
  ) {
    guard level >= self.level else { return }
    log(ServerLogEvent(level, event, message(), fields()))
  }

  package func log(_ event: ServerLogEvent) {
    guard event.level >= level else { return }
    let line = layout.line(event, at: platform.calendarNanoseconds)
    guard lines.withLock({ $0.add(line) }) else { return }
    platform.run(after: 0) { @Sendable [self] in write() }
  }

  /// Logs why the server does not start; returns false if a person reads, who gets a longer text.
  func tells(_ error: StartError) -> Bool {
    guard layout.form != .text || layout.isForJournal else { return false }
    let advice = error.advice.map { [ServerLogEvent.Field.text("advice", $0)] } ?? []
    log(.error, "not-started", error.message, advice)
    if layout.form == .text {
      for line in (error.advice ?? "").split(whereSeparator: \.isNewline) {
        log(.error, "advice", String(line))
      }
    }
    return true
  }

  /// Waits until all is written, at most `time`.
  func flush(withinNanoseconds time: UInt64 = 500_000_000) {
    let done = DispatchSemaphore(value: 0)
    guard lines.withLock({ $0.tellWhenWritten(done) }) else { return }
    _ = platform.wait(for: done, atMost: time)
  }

  private func write() {
    while let bytes = lines.withLock({ $0.take() }) {
      if !platform.log(bytes[...]) { lines.withLock { $0.writingFailed() } }
    }
  }
}
