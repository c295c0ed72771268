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
