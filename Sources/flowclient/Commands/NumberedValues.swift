/// Repeats a value, with its number in the place of each `{n}`.
struct NumberedValues: IteratorProtocol {
  /// Whether what comes is lines, many at a time, and not a value at a time.
  let areLines: Bool
  private let parts: [[UInt8]]
  private let count: UInt64
  private var number: UInt64 = 0
  private static let batch = 512

  init(_ template: String, count: UInt64) {
    areLines = !template.utf8.contains { $0 == 10 || $0 == 13 }
    let parts = template.split(separator: "{n}", omittingEmptySubsequences: false)
    self.parts = parts.map { Array($0.utf8) }
    self.count = count
  }

  mutating func next() -> [UInt8]? {
    guard number < count else { return nil }
    guard areLines else { return value() }
    var lines: [UInt8] = []
    for _ in 0..<min(UInt64(Self.batch), count - number) { lines += value() + [10] }
    return lines
  }

  private mutating func value() -> [UInt8] {
    number += 1
    return Array(parts.joined(separator: Array("\(number)".utf8)))
  }
}
