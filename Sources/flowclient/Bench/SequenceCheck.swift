/// Checks the numbers of one sender: which arrived, which arrived twice, and which late.
///
/// A number that is skipped is missing until it comes after all, when it counts as reordered.
struct SequenceCheck: Equatable {
  /// The most gaps that are remembered.
  ///
  /// A number from a gap further back counts as duplicated.
  static let mostGaps = 1024

  private let first: UInt64
  /// The number after the largest that came.
  private(set) var next: UInt64
  /// The count of numbers below `next` that have not arrived.
  private(set) var missing: UInt64 = 0
  private(set) var duplicated: UInt64 = 0
  private(set) var reordered: UInt64 = 0
  private var gaps: [Range<UInt64>] = []

  /// Begins with the number that should come first.
  init(first: UInt64 = 0) {
    self.first = first
    next = first
  }

  /// The count of different numbers that arrived.
  var received: UInt64 { next - first - missing }

  /// `count` numbers came in order.
  mutating func advance(by count: UInt64) { next += count }

  /// A number came, of which the low 32 bits are known.
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

/// The checks of all senders that one receiver hears.
struct SequenceChecks {
  private(set) var checks: [SequenceCheck] = []
  private var places: [UInt32: Int] = [:]
  private var current = 0
  /// The sender whose next number is expected: the last one.
  private(set) var sender: UInt32?
  private let startsAtZero: Bool

  /// Without `startsAtZero` a sender's first number is the one that comes first, as for a receiver
  /// that comes later.
  init(startsAtZero: Bool) {
    self.startsAtZero = startsAtZero
  }

  /// The low bits of the number that is expected of `sender`.
  var expected: UInt32 {
    sender == nil ? 0 : UInt32(truncatingIfNeeded: checks[current].next)
  }

  /// `count` numbers of `sender` came in order.
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
