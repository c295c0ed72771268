/// Random numbers that are the same in every run: SplitMix64, https://prng.di.unimi.it/splitmix64.c.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  public init(state: UInt64) { self.state = state }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension SeededGenerator {
  /// Returns random bytes, a JSON array, or pieces of JSON in random order.
  public mutating func payload() -> [UInt8] {
    let parts = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0041", "\\ud800", "1", "1.50", "-0", "1e400",
      "true", "null", " ", "\t", "\n", "\r", "ä", "\u{2028}", "\u{0}", "\"a\"", "\"value\":", "=",
    ]
    switch Int.random(in: 0..<4, using: &self) {
    case 0:
      return (0..<Int.random(in: 0..<40, using: &self)).map { _ in
        UInt8.random(in: 0...255, using: &self)
      }
    case 1:
      let values = (0..<Int.random(in: 0..<4, using: &self)).map { _ in
        ["1.50", "\"\\u0041\"", "{\"a\" : [ ]}", "null"].randomElement(using: &self) ?? "1"
      }
      let comma = [",", " , ", ",\n"].randomElement(using: &self) ?? ","
      return Array("[\(values.joined(separator: comma))]".utf8)
    default:
      let count = Int.random(in: 0..<8, using: &self)
      return (0..<count).flatMap { _ in Array((parts.randomElement(using: &self) ?? "").utf8) }
    }
  }
}
