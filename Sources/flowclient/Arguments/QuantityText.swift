/// Numbers with a unit, as the command line has them.
enum QuantityText {
  /// Reads `50000`, `50k`, `50k/s`, `1.5M/s`; more than 0.
  static func rate(_ text: String) -> Double? {
    var number = text[...]
    if number.hasSuffix("/s") { number.removeLast(2) }
    var scale = 1.0
    switch number.last {
    case "k", "K": scale = 1e3
    case "m", "M": scale = 1e6
    default: break
    }
    if scale > 1 { number.removeLast() }
    guard let rate = decimal(number), rate > 0 else { return nil }
    return rate * scale <= 1e9 ? rate * scale : nil
  }

  /// Reads `128`, `4KiB`, `1MiB`.
  static func size(_ text: String) -> UInt64? {
    var digits = text[...]
    var scale: UInt64 = 1
    if digits.hasSuffix("KiB") { scale = 1 << 10 }
    if digits.hasSuffix("MiB") { scale = 1 << 20 }
    if scale > 1 { digits.removeLast(3) }
    guard let number = UInt64(digits), number > 0, number <= 1 << 40 else { return nil }
    return number * scale
  }

  private static func decimal(_ text: Substring) -> Double? {
    guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }) else { return nil }
    return Double(text)
  }
}
