/// Formats numbers in few columns.
enum TopFigure {
  /// Formats values per second: `0.5`, `42`, `12.3k`; `-` if unknown.
  static func rate(_ rate: Double?) -> String {
    guard let rate else { return "-" }
    if rate > 0, rate < 9.95 { return Figure.decimal(rate, digits: 1) }
    return Figure.short(rate)
  }

  /// Formats a count: `3857`, `123k`.
  static func count(_ count: Int) -> String {
    count < 100_000 ? "\(count)" : Figure.short(Double(count))
  }

  /// Formats a time that may be short: `50 µs`, `2.5 ms`, `250 ms`, `12.0 s`.
  static func shortTime(milliseconds: Double) -> String {
    if milliseconds < 1 { return "\(Int((max(0, milliseconds) * 1_000).rounded())) µs" }
    guard milliseconds < 10, milliseconds.rounded() != milliseconds else {
      return time(milliseconds: Int(exactly: milliseconds.rounded()) ?? .max)
    }
    return "\(Figure.decimal(milliseconds, digits: 1)) ms"
  }

  /// Formats a time: `250 ms`, `12.0 s`, `12 min`.
  static func time(milliseconds: Int) -> String {
    switch milliseconds {
    case ..<1_000: "\(milliseconds) ms"
    case ..<100_000: "\(Figure.decimal(Double(milliseconds) / 1_000, digits: 1)) s"
    case ..<6_000_000: "\(milliseconds / 60_000) min"
    default: "\(milliseconds / 3_600_000) h"
    }
  }
}
