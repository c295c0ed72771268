/// The ways through a program that have come to one place of a text, the preferred first.
struct RegexWays {
  /// The step of each, which takes something or is the match.
  private(set) var steps: [Int] = []
  /// The slots of each, one behind another.
  private(set) var slots: [Int] = []
  /// The round in which each step of the program was seen last.
  private var rounds: [Int]
  private var round = 1

  init(count: Int) { rounds = [Int](repeating: 0, count: count) }

  mutating func removeAll() {
    steps.removeAll(keepingCapacity: true)
    slots.removeAll(keepingCapacity: true)
    round += 1
  }

  /// Whether a step is seen for the first time: a way that comes to it later is not preferred.
  mutating func see(_ step: Int) -> Bool {
    guard rounds[step] != round else { return false }
    rounds[step] = round
    return true
  }

  mutating func append(_ step: Int, _ slots: [Int]) {
    steps.append(step)
    self.slots.append(contentsOf: slots)
  }
}

/// Follows the ways that lead on through steps which take nothing.
struct RegexFollower {
  private let program: RegexProgram
  private let text: RegexText
  /// The slots of the way that is followed.
  var slots: [Int]
  private var jobs: [Job] = []
  /// What has been done and not been paid for, in parts of a step.
  var unpaid = 0

  /// What is left to do.
  private enum Job {
    case follow(Int)
    /// The slot had another value before.
    case restore(slot: Int, Int)
  }

  init(_ program: RegexProgram, _ text: RegexText, width: Int) {
    self.program = program
    self.text = text
    slots = [Int](repeating: -1, count: width)
  }

  /// Adds the ways of a match that begins at a place.
  mutating func begin(at place: Int, into ways: inout RegexWays) {
    for index in slots.indices { slots[index] = -1 }
    slots[0] = place
    follow(0, at: place, into: &ways)
  }

  /// Adds the ways that lead on from a step.
  mutating func follow(_ step: Int, at place: Int, into ways: inout RegexWays) {
    jobs.append(.follow(step))
    while let job = jobs.popLast() {
      switch job {
      case .restore(let slot, let value): slots[slot] = value
      case .follow(let step):
        unpaid += 4
        guard ways.see(step) else { continue }
        switch program.steps[step] {
        case .jump(let next): jobs.append(.follow(next))
        case .split(let first, let second):
          jobs.append(.follow(second))
          jobs.append(.follow(first))
        case .save(let slot):
          if slot < slots.count {
            jobs.append(.restore(slot: slot, slots[slot]))
            slots[slot] = place
          }
          jobs.append(.follow(step + 1))
        case .assertion(let assertion):
          if holds(assertion, at: place) { jobs.append(.follow(step + 1)) }
        case .scalar, .any, .anyWithinLine, .set, .match:
          unpaid += slots.count
          ways.append(step, slots)
        }
      }
    }
  }

  private func holds(_ assertion: RegexAssertion, at place: Int) -> Bool {
    let after = place < text.bytes.count ? text.scalar(at: place).value : nil
    return assertion.holds(between: text.scalar(before: place), and: after)
  }
}
