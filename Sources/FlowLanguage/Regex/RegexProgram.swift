/// A pattern as a program for `RegexMatcher`.
struct RegexProgram {
  enum Step {
    case scalar(UInt32)
    case any
    /// Any scalar but the end of a line.
    case anyWithinLine
    /// One of a set, by its number.
    case set(Int)
    case assertion(RegexAssertion)
    /// Goes on at both places; the first is preferred.
    case split(Int, Int)
    case jump(Int)
    /// Writes the place into a slot.
    case save(Int)
    case match
  }

  private(set) var steps: [Step] = []
  private(set) var sets: [ScalarSet] = []
  /// How many groups there are, the whole included.
  let groups: Int
  /// Which bytes a match may begin with; `nil` if it may be empty.
  private(set) var beginnings: [Bool]?
  /// Whether a match can begin only where the text does.
  private(set) var isAnchored = false

  /// The most steps of a pattern.
  static let most = 2_000

  /// How many parts have been looked at: one that is repeated counts each time, and may have no step.
  private var visits = 0

  init(_ node: RegexNode, groups: Int, at range: Range<Int>) throws(Diagnostic) {
    self.groups = groups
    guard add(node), emit(.match) else {
      let message = "the regular expression comes to more than \(Self.most) steps"
      throw Diagnostic("\(message): its repetitions count each time", at: range)
    }
    visits = 0
    beginnings = findBeginnings()
    isAnchored = beginsWithText
  }

  // MARK: Making it

  /// Adds a step; false if there are too many.
  private mutating func emit(_ step: Step) -> Bool {
    steps.append(step)
    return steps.count <= Self.most
  }

  private mutating func add(_ node: RegexNode) -> Bool {
    visits += 1
    guard visits <= 4 * Self.most else { return false }
    switch node {
    case .empty: return true
    case .scalar(let scalar): return emit(.scalar(scalar))
    case .any(let isWithinLine): return emit(isWithinLine ? .anyWithinLine : .any)
    case .set(let set):
      sets.append(set)
      return emit(.set(sets.count - 1))
    case .assertion(let assertion): return emit(.assertion(assertion))
    case .group(let node, let number):
      return emit(.save(2 * number)) && add(node) && emit(.save(2 * number + 1))
    case .sequence(let nodes):
      for node in nodes where !add(node) { return false }
      return true
    case .alternatives(let nodes): return add(anyOf: nodes)
    case .repetition(let node, let least, let most, let isGreedy):
      return add(node, least, most, isGreedy)
    }
  }

  private mutating func add(anyOf nodes: [RegexNode]) -> Bool {
    var ends: [Int] = []
    for node in nodes.dropLast() {
      let split = steps.count
      guard emit(.match), add(node) else { return false }
      ends.append(steps.count)
      guard emit(.match) else { return false }
      steps[split] = .split(split + 1, steps.count)
    }
    guard let last = nodes.last, add(last) else { return false }
    for end in ends { steps[end] = .jump(steps.count) }
    return true
  }

  private mutating func add(
    _ node: RegexNode,
    _ least: Int,
    _ most: Int?,
    _ isGreedy: Bool
  ) -> Bool {
    for _ in 0..<max(0, most == nil ? least - 1 : least) where !add(node) { return false }
    guard let most else { return add(node, isOptional: least == 0, isGreedy) }
    var splits: [Int] = []
    for _ in least..<max(least, most) {
      splits.append(steps.count)
      guard emit(.match), add(node) else { return false }
    }
    for split in splits { steps[split] = choice(split + 1, steps.count, isGreedy) }
    return true
  }

  /// Adds a part that is repeated without end.
  ///
  /// The choice stands behind it: what comes there without having taken anything has been at the part
  /// already, and goes no further, as Perl has it.
  private mutating func add(_ node: RegexNode, isOptional: Bool, _ isGreedy: Bool) -> Bool {
    let first = steps.count
    if isOptional, !emit(.match) { return false }
    let start = steps.count
    guard add(node) else { return false }
    let end = steps.count
    guard emit(choice(start, end + 1, isGreedy)) else { return false }
    if isOptional { steps[first] = choice(start, end + 1, isGreedy) }
    return true
  }

  private func choice(_ inside: Int, _ behind: Int, _ isGreedy: Bool) -> Step {
    isGreedy ? .split(inside, behind) : .split(behind, inside)
  }

  // MARK: How it begins

  private func findBeginnings() -> [Bool]? {
    var bytes = [Bool](repeating: false, count: 256)
    var seen = [Bool](repeating: false, count: steps.count)
    var places = [0]
    while let place = places.popLast() {
      guard !seen[place] else { continue }
      seen[place] = true
      switch steps[place] {
      case .match: return nil
      case .jump(let next): places.append(next)
      case .split(let first, let second): places += [first, second]
      case .save, .assertion: places.append(place + 1)
      case .scalar(let scalar): bytes[Int(Self.firstByte(of: scalar))] = true
      case .any, .anyWithinLine, .set:
        // The first bytes of what is not ASCII.
        for byte in 0xC0..<0x100 { bytes[byte] = true }
        for scalar in UInt32(0)..<128 where mayBegin(steps[place], scalar) {
          bytes[Int(scalar)] = true
        }
      }
    }
    return bytes
  }

  private func mayBegin(_ step: Step, _ scalar: UInt32) -> Bool {
    if case .set(let number) = step { sets[number].contains(scalar) } else { true }
  }

  private static func firstByte(of scalar: UInt32) -> UInt8 {
    guard let scalar = Unicode.Scalar(scalar) else { return 0 }
    return Array(String(scalar).utf8)[0]
  }

  /// Whether nothing comes before the beginning of the text has been asked for.
  private var beginsWithText: Bool {
    for step in steps {
      switch step {
      case .save: continue
      case .assertion(.startOfText): return true
      default: return false
      }
    }
    return false
  }
}
