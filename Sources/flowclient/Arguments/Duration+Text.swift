extension Duration {
  /// Reads a number and its unit: `250ms`, `5s`, `1.5m`, `2h`.
  init?(text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    guard let number = Double(digits), number.isFinite else { return nil }
    let seconds: Double
    switch text[digits.endIndex...] {
    case "us": seconds = number / 1_000_000
    case "ms": seconds = number / 1_000
    case "s": seconds = number
    case "m": seconds = number * 60
    case "h": seconds = number * 3_600
    default: return nil
    }
    guard seconds <= 1_000_000_000 else { return nil }
    self = .nanoseconds(Int64((seconds * 1_000_000_000).rounded()))
  }

  /// The whole length in nanoseconds.
  var inNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
