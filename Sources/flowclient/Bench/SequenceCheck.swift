/// Checks the numbers of one sender for missing, duplicated and reordered values.
///
/// A skipped number is missing until it arrives late, when it counts as reordered.
struct SequenceCheck: Equatable {
  /// The most gaps to remember; a number from an older gap counts as duplicated.
  static let mostGaps = 1024

  private let first: UInt64
  /// The number after the largest received.
  private(set) var next: UInt64
  /// How many numbers below `next` have not arrived.
  private(set) var missing: UInt64 = 0
  private(set) var duplicated: UInt64 = 0
  private(set) var reordered: UInt64 = 0
  private var gaps: [Range<UInt64>] = []

  /// Expects `first` as the first number.
  init(first: UInt64 = 0) {
    self.first = first
    next = first
  }

  /// The count of different numbers received.
  var received: UInt64 { next - first - missing }

  /// Records `count` numbers in order.
  mutating func advance(by count: UInt64) { next += count }

  /// Records a number by its low 32 bits.
  mutating func receive(_ low: UInt32) {
    let distance = Int32(bitPattern: low &- UInt32(truncatingIfNeeded: next))
    receive(whole: UInt64(max(0, Int64(next) + Int64(distance))))
  }

  private mutating func receive(whole number: UInt64) {
    if number >= next {
      if number > next { addGap(next..<number) }
      next = number + 1
    } else if let index = gaps.lastIndex(where: { $0.contains(number) }) {
      reordered += 1
      missing -= 1
      let gap = gaps[index]
      let rest = [gap.lowerBound..<number, number + 1..<gap.upperBound].filter { !$0.isEmpty }
      gaps.replaceSubrange(index...index, with: rest)
    } else {
      duplicated += 1
    }
  }

  private mutating func addGap(_ gap: Range<UInt64>) {
    missing += UInt64(gap.count)
    if gaps.count == Self.mostGaps { gaps.removeFirst() }
    gaps.append(gap)
  }
}

/// The checks of all senders of one receiver.
struct SequenceChecks {
  private(set) var checks: [SequenceCheck] = []
  private var places: [UInt32: Int] = [:]
  private var current = 0
  /// The sender whose next number is expected: the last one.
  private(set) var sender: UInt32?
  private let startsAtZero: Bool

  /// Expects each sender's first number to be 0, or whatever comes first for a receiver that joins
  /// late.
  init(startsAtZero: Bool) {
    self.startsAtZero = startsAtZero
  }

  /// The low bits of the number expected of `sender`.
  var expected: UInt32 {
    sender == nil ? 0 : UInt32(truncatingIfNeeded: checks[current].next)
  }

  /// Records `count` numbers of `sender` in order.
  mutating func advance(by count: UInt64) {
    if count > 0 { checks[current].advance(by: count) }
  }

  mutating func receive(_ number: UInt32, of sender: UInt32) {
    if sender != self.sender {
      self.sender = sender
      current = places[sender] ?? add(sender, firstNumber: number)
    }
    checks[current].receive(number)
  }

  private mutating func add(_ sender: UInt32, firstNumber: UInt32) -> Int {
    checks.append(SequenceCheck(first: startsAtZero ? 0 : UInt64(firstNumber)))
    places[sender] = checks.count - 1
    return checks.count - 1
  }

  var received: UInt64 { checks.reduce(0) { $0 + $1.received } }
  var missing: UInt64 { checks.reduce(0) { $0 + $1.missing } }
  var duplicated: UInt64 { checks.reduce(0) { $0 + $1.duplicated } }
  var reordered: UInt64 { checks.reduce(0) { $0 + $1.reordered } }
}
