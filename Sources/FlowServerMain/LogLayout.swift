import FlowServer

/// The format of log lines.
package struct LogLayout: Equatable, Sendable {
  package enum Form: Equatable, Sendable {
    case text, logfmt, json
  }

  package let form: Form
  /// Whether systemd's journal reads the log: it wants a priority at the front, and no time.
  package let isForJournal: Bool

  package init(_ form: Form, isForJournal: Bool = false) {
    self.form = form
    self.isForJournal = isForJournal
  }

  /// Uses `format`, or by default the layout that suits standard error.
  init(_ format: ServerArguments.LogFormat, to output: LogOutput) {
    isForJournal = output.isJournal
    switch format {
    case .auto: form = output.isTerminal || output.isJournal ? .text : .logfmt
    case .text: form = .text
    case .logfmt: form = .logfmt
    case .json: form = .json
    }
  }

  /// Returns the line for an event; `time` is in nanoseconds since 1970.
  func line(_ event: ServerLogEvent, at time: Int64) -> String {
    let priority = isForJournal ? "<\(Self.priority(event.level))>" : ""
    switch form {
    case .text where isForJournal: return priority + event.text
    case .text:
      let level = event.level.rawValue
      let room = String(repeating: " ", count: 9 - level.utf8.count)
      return "\(WallTime.ofDay(time)) \(level)\(room)\(event.text)"
    case .logfmt: return priority + event.logfmt(time: WallTime.full(time))
    case .json: return priority + event.json(time: WallTime.full(time))
    }
  }

  /// Returns the syslog(3) number that sd-daemon(3) puts before a line.
  private static func priority(_ level: ServerLogEvent.Level) -> Int {
    switch level {
    case .debug: 7
    case .info: 6
    case .warning: 4
    case .error: 3
    }
  }
}
