/// Looks for matches of a program in a text, following all ways through it at once.
struct RegexMatcher {
  private let program: RegexProgram
  private let text: RegexText
  /// How many slots there are: two if no groups are asked for.
  private let width: Int
  private var current: RegexWays
  private var next: RegexWays
  private var follower: RegexFollower
  /// The slots of the match that has been found last, and is preferred to those before.
  private var best: [Int]

  /// What a match has to be.
  enum Wanted {
    /// The first one, which may end anywhere.
    case first
    /// Any one, as soon as there is one.
    case any
    /// From the first byte to the last.
    case whole
  }

  /// Makes a matcher; with `hasGroups` its matches have them.
  init(_ program: RegexProgram, _ text: RegexText, hasGroups: Bool) {
    self.program = program
    self.text = text
    width = hasGroups ? 2 * program.groups : 2
    best = [Int](repeating: -1, count: width)
    current = RegexWays(count: program.steps.count)
    next = RegexWays(count: program.steps.count)
    follower = RegexFollower(program, text, width: width)
    // What has been made so far.
    follower.unpaid = program.steps.count / 2
  }

  /// The first match from `start` on, for what it costs to look for it.
  mutating func match(
    from start: Int,
    _ wanted: Wanted = .first,
    _ locals: inout Locals
  ) throws(EvaluationError) -> RegexMatch? {
    var hasMatch = false
    var place = start
    current.removeAll()
    while true {
      let mayBegin = !hasMatch && (place == 0 || wanted != .whole && !program.isAnchored)
      if current.steps.isEmpty {
        guard mayBegin else { break }
        if wanted != .whole { place = nextBeginning(from: place) }
      }
      if mayBegin { follower.begin(at: place, into: &current) }
      let isEnd = place == text.bytes.count
      let (scalar, bytes) = isEnd ? (0, 0) : text.scalar(at: place)
      next.removeAll()
      for (index, step) in current.steps.enumerated() {
        if case .match = program.steps[step] {
          if wanted == .whole, !isEnd { continue }
          for slot in 0..<width { best[slot] = current.slots[index * width + slot] }
          best[1] = place
          hasMatch = true
          // What comes behind is not preferred.
          break
        }
        guard !isEnd, takes(program.steps[step], scalar) else { continue }
        for slot in 0..<width { follower.slots[slot] = current.slots[index * width + slot] }
        follower.follow(step + 1, at: place + bytes, into: &next)
      }
      // What is not ASCII is looked up in tables.
      follower.unpaid += (scalar < 0x80 ? 4 : 32) * current.steps.count
      if follower.unpaid > 1024 { try pay(&locals) }
      if isEnd || wanted == .any && hasMatch { break }
      swap(&current, &next)
      place += bytes
    }
    try pay(&locals)
    return hasMatch ? RegexMatch(slots: best) : nil
  }

  private mutating func pay(_ locals: inout Locals) throws(EvaluationError) {
    try locals.spend(1 + follower.unpaid / Price.matching)
    follower.unpaid = 0
  }

  /// The first place from `place` on where a match may begin, or the end.
  private mutating func nextBeginning(from place: Int) -> Int {
    guard let beginnings = program.beginnings else { return place }
    var next = place
    while next < text.bytes.count, !beginnings[Int(text.bytes[next])] { next += 1 }
    follower.unpaid += (next - place) / 2
    return next
  }

  @inline(__always)
  private func takes(_ step: RegexProgram.Step, _ scalar: UInt32) -> Bool {
    switch step {
    case .scalar(let wanted): wanted == scalar
    case .any: true
    case .anyWithinLine: !ScalarSet.isNewline(scalar)
    case .set(let number): program.sets[number].contains(scalar)
    case .assertion, .split, .jump, .save, .match: false
    }
  }
}
