/// A part of a pattern.
indirect enum RegexNode {
  case empty
  case scalar(UInt32)
  /// Any scalar, or any but the end of a line.
  case any(isWithinLine: Bool)
  case set(ScalarSet)
  case assertion(RegexAssertion)
  /// What is captured under a number.
  case group(RegexNode, number: Int)
  case sequence([RegexNode])
  /// The first that matches, in this order.
  case alternatives([RegexNode])
  case repetition(RegexNode, least: Int, most: Int?, isGreedy: Bool)
}

/// What holds at a place between two scalars.
enum RegexAssertion {
  case startOfText, endOfText, startOfLine, endOfLine
  case wordBoundary, noWordBoundary

  func holds(between before: UInt32?, and after: UInt32?) -> Bool {
    switch self {
    case .startOfText: before == nil
    case .endOfText: after == nil
    case .startOfLine: before.map(ScalarSet.isNewline) ?? true
    case .endOfLine: after.map(ScalarSet.isNewline) ?? true
    case .wordBoundary: isWord(before) != isWord(after)
    case .noWordBoundary: isWord(before) == isWord(after)
    }
  }

  private func isWord(_ scalar: UInt32?) -> Bool {
    scalar.map { ScalarSet.Kind.word.contains($0) } ?? false
  }
}
