/// The keys of `--manual`: converts bytes to wishes.
struct Keys {
  enum Wish: Equatable {
    /// That many values more; `nil` is all.
    case ask(UInt64?)
    /// The keys have ended.
    case askNoMore
    case quit
    case unknown(UInt8)
  }

  private var number: UInt64?

  mutating func press(_ key: UInt8) -> Wish? {
    switch key {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      let digit = UInt64(key - UInt8(ascii: "0"))
      let (tens, overflow) = (number ?? 0).multipliedReportingOverflow(by: 10)
      number = overflow ? .max : tens + min(digit, .max - tens)
      return nil
    case UInt8(ascii: " "): return takeNumber() ?? .ask(1)
    case 10, 13: return takeNumber()
    case 8, 127:
      number = number.flatMap { $0 < 10 ? nil : $0 / 10 }
      return nil
    case UInt8(ascii: "a"): return .ask(nil)
    case UInt8(ascii: "q"), 4: return .quit
    default: return .unknown(key)
    }
  }

  /// Ends the input, and returns the wishes that were incomplete.
  mutating func end() -> [Wish] {
    [takeNumber(), .askNoMore].compactMap { $0 }
  }

  private mutating func takeNumber() -> Wish? {
    defer { number = nil }
    guard let number, number > 0 else { return nil }
    return .ask(number)
  }
}
