/// Values per second, as typed.
enum ValueRate {
  /// Parses a positive rate: `50000`, `50k`, `50k/s`, `1.5M/s`.
  static func read(_ text: String) -> Double? {
    var number = text[...]
    if number.hasSuffix("/s") { number.removeLast(2) }
    var scale = 1.0
    switch number.last {
    case "k", "K": scale = 1e3
    case "m", "M": scale = 1e6
    default: break
    }
    if scale > 1 { number.removeLast() }
    guard number.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }) else { return nil }
    guard let rate = Double(number), rate > 0 else { return nil }
    return rate * scale <= 1e9 ? rate * scale : nil
  }
}
