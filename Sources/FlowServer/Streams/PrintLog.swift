internal import FlowCore
internal import FlowWire

/// Lines that pipelines write to the server's log, by `print` or when they fail.
///
/// Lines per second and their length are limited; dropped lines are counted and reported once a
/// second.
final class PrintLog {
  /// All pipelines together may write this many times the limit of one.
  private static let pipelines = 5
  private static let longestLine = 1000
  private static let second: Int64 = 1_000_000_000

  private unowned let engine: Engine
  private(set) var written = 0
  private(set) var leftOut = 0
  /// The start of the second whose dropped lines are being counted.
  private var start: Int64?
  private var lines = 0
  private var linesOf: [String: Int] = [:]
  private var untold = 0

  init(engine: Engine) { self.engine = engine }

  /// Writes a line of `source`, within its limit.
  func write(_ line: String, of source: String) {
    guard engine.eventLog.level <= .info, admits(source) else { return }
    let text = line.utf8.prefix(Self.longestLine)
    let rest = text.endIndex < line.utf8.endIndex ? "…" : ""
    let shown = String(decoding: text, as: UTF8.self) + rest
    let prefix = source.isEmpty ? "print" : "print \(source)"
    engine.log(.info, "print", "\(prefix): \(shown)", [.text("of", source)])
  }

  /// Counts a line of `source`; returns whether it is within the limit.
  func admits(_ source: String) -> Bool {
    if start.map({ engine.now - $0 >= Self.second }) ?? true { beginSecond() }
    let limit = engine.configuration.pipelines.printLimit
    guard lines / Self.pipelines < limit, linesOf[source, default: 0] < limit
    else {
      leaveOut()
      return false
    }
    lines += 1
    linesOf[source, default: 0] += 1
    written += 1
    return true
  }

  private func beginSecond() {
    logLeftOut()
    start = engine.now
    lines = 0
    linesOf.removeAll(keepingCapacity: true)
  }

  private func leaveOut() {
    leftOut += 1
    untold += 1
    guard untold == 1 else { return }
    let date = engine.clock.now.advanced(by: .nanoseconds(Int(Self.second)))
    engine.clock.schedule(after: date) { [weak self] in self?.logLeftOut() }
  }

  private func logLeftOut() {
    guard untold > 0 else { return }
    let limit = engine.configuration.pipelines.printLimit
    let many = untold == 1 ? "1 line" : "\(untold) lines"
    engine.log(
      .warning,
      "left-out",
      "print: … \(many) left out; a pipeline may write \(limit) per second",
      [.number("count", untold)]
    )
    untold = 0
  }
}
