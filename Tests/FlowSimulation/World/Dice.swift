import FlowTestSupport

/// All chance of a simulated world, from one seed.
struct Dice {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(state: seed) }

  mutating func number() -> UInt64 { generator.next() }

  /// Any number of the range.
  mutating func pick(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

  /// Any element; there has to be one.
  mutating func pick<Elements: RandomAccessCollection>(_ elements: Elements) -> Elements.Element {
    let offset = pick(0...elements.count - 1)
    return elements[elements.index(elements.startIndex, offsetBy: offset)]
  }

  /// Whether something happens that does so in `percent` of all cases.
  mutating func chance(_ percent: Int) -> Bool { pick(0...99) < percent }

  /// A number between 1 and `most`, small ones as likely as large ones of the same number of digits.
  mutating func size(upTo most: Int) -> Int {
    let bits = most.bitWidth - most.leadingZeroBitCount
    let limit = pick(1...bits)
    let top = limit >= Int.bitWidth - 1 ? Int.max : (1 << limit) - 1
    return min(most, pick(1...max(1, top)))
  }
}
