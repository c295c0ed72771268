/// Numbers as people read them.
enum Figure {
  /// Three digits and a unit: `850 ns`, `41.2 µs`, `1.02 ms`, `3.40 s`.
  static func time(_ nanoseconds: UInt64) -> String {
    let time = Double(nanoseconds)
    switch time {
    case ..<999.5: return "\(nanoseconds) ns"
    case ..<999_500: return "\(threeDigits(time / 1e3)) µs"
    case ..<999_500_000: return "\(threeDigits(time / 1e6)) ms"
    default: return "\(threeDigits(time / 1e9)) s"
    }
  }

  /// Values a second: `1,998,800/s`, `0.5/s`.
  static func rate(_ rate: Double) -> String {
    "\(rate < 100 ? decimal(rate, digits: 1) : count(UInt64(rate.rounded())))/s"
  }

  /// Bytes a second: `255.8 MB/s`.
  static func volume(_ rate: Double) -> String { "\(decimal(rate / 1e6, digits: 1)) MB/s" }

  /// With a comma before each three digits.
  static func count(_ number: UInt64) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  /// Short, for where it changes several times a second: `950`, `12.3k`, `2.05M`.
  static func short(_ number: Double) -> String {
    switch number {
    case ..<999.5: decimal(number, digits: 0)
    case ..<999_500: "\(threeDigits(number / 1e3))k"
    case ..<999_500_000: "\(threeDigits(number / 1e6))M"
    default: "\(threeDigits(number / 1e9))G"
    }
  }

  /// Writes a number with exactly `digits` digits behind the point.
  static func decimal(_ number: Double, digits: Int) -> String {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    let whole = UInt64(max(0, number * scale).rounded())
    guard digits > 0 else { return String(whole) }
    let (before, behind) = whole.quotientAndRemainder(dividingBy: UInt64(scale))
    let rest = String(behind)
    return "\(before).\(String(repeating: "0", count: digits - rest.count))\(rest)"
  }

  /// `1 publisher`, `2 publishers`.
  static func number(_ number: Int, of noun: String) -> String {
    "\(count(UInt64(number))) \(noun)\(number == 1 ? "" : "s")"
  }

  /// `1 value`, `2 values`.
  static func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func threeDigits(_ number: Double) -> String {
    decimal(number, digits: number < 9.995 ? 2 : number < 99.95 ? 1 : 0)
  }
}
