import Spelling

/// Makes the tree of a pattern.
struct RegexParser {
  private let scalars: [Unicode.Scalar]
  /// Where each scalar stands, in characters of the text around; one more for the end.
  private let places: [Int]
  private(set) var position = 0
  /// The names of the groups so far; the first is the whole.
  private(set) var names: [String?] = [nil]
  private var depth = 0
  var flags = Flags()

  /// What `(?ims)` says.
  struct Flags {
    var ignoresCase = false
    var isMultiline = false
    var dotMatchesNewline = false
  }

  /// The most groups, the whole included, and how deep they may be nested.
  private static let mostGroups = 33
  private static let deepest = 32
  /// The highest number of a repetition.
  static let mostTimes = 1000

  init(_ pattern: String, at offset: Int) {
    var scalars: [Unicode.Scalar] = []
    var places: [Int] = []
    for (index, character) in pattern.enumerated() {
      for scalar in character.unicodeScalars {
        scalars.append(scalar)
        places.append(offset + index)
      }
    }
    places.append(offset + pattern.count)
    self.scalars = scalars
    self.places = places
  }

  /// Where the pattern stands.
  var range: Range<Int> { places[0]..<places[places.count - 1] }

  var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  func peek(_ ahead: Int) -> Unicode.Scalar? {
    position + ahead < scalars.count ? scalars[position + ahead] : nil
  }

  mutating func advance() -> Unicode.Scalar? {
    guard let current else { return nil }
    position += 1
    return current
  }

  /// The scalar that was read last.
  var last: Unicode.Scalar { position > 0 ? scalars[position - 1] : "\0" }

  mutating func read(_ text: String) -> Bool {
    let wanted = Array(text.unicodeScalars)
    guard scalars[position...].starts(with: wanted) else { return false }
    position += wanted.count
    return true
  }

  /// What is wrong from a position on, up to where the parser is, or with the scalar there.
  func error(_ message: String, from start: Int) -> Diagnostic {
    let first = places[min(start, places.count - 1)]
    let end = places[min(max(position, start + 1), places.count - 1)]
    return Diagnostic(message, at: first..<max(end, first))
  }

  /// What is said of a bracket without its other one.
  mutating func unclosed(_ bracket: String, _ other: String, from start: Int) -> Diagnostic {
    position = start + 1
    return error(
      "\"\(bracket)\" has no matching \"\(other)\" in the regular expression",
      from: start
    )
    .marked(.unmatched)
  }

  // MARK: The tree

  mutating func pattern() throws(Diagnostic) -> RegexNode {
    let node = try alternatives()
    guard position == scalars.count else {
      throw unclosed(")", "(", from: position)
    }
    return node
  }

  private mutating func alternatives() throws(Diagnostic) -> RegexNode {
    var alternatives = [try sequence()]
    while read("|") { alternatives.append(try sequence()) }
    return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
  }

  private mutating func sequence() throws(Diagnostic) -> RegexNode {
    var nodes: [RegexNode] = []
    while let current, current != "|", current != ")" {
      let start = position
      let node = try atom()
      nodes.append(try repeated(node, from: start))
    }
    return nodes.count == 1 ? nodes[0] : .sequence(nodes)
  }

  private mutating func atom() throws(Diagnostic) -> RegexNode {
    let start = position
    switch advance() {
    case "(": return try group(from: start)
    case "[": return try set(from: start)
    case ".": return .any(isWithinLine: !flags.dotMatchesNewline)
    case "^": return .assertion(flags.isMultiline ? .startOfLine : .startOfText)
    case "$": return .assertion(flags.isMultiline ? .endOfLine : .endOfText)
    case "\\": return try escape(from: start)
    case "*", "+", "?": throw error("there is nothing to repeat before it", from: start)
    case "{" where bounds(at: start) != nil:
      throw error("there is nothing to repeat before it", from: start)
    case .some(let scalar): return literal(scalar.value)
    case nil: return .empty
    }
  }

  func literal(_ scalar: UInt32) -> RegexNode {
    guard flags.ignoresCase, ScalarSet.otherCases(of: scalar).contains(where: { $0 != scalar })
    else { return .scalar(scalar) }
    var set = ScalarSet()
    set.insert(scalar...scalar)
    set.ignoresCase = true
    set.finish()
    return .set(set)
  }

  // MARK: Repetitions

  private mutating func repeated(
    _ node: RegexNode,
    from start: Int
  ) throws(Diagnostic) -> RegexNode {
    let sign = position
    var times: (least: Int, most: Int?)
    switch current {
    case "*": times = (0, nil)
    case "+": times = (1, nil)
    case "?": times = (0, 1)
    case "{":
      guard let bounds = bounds(at: position) else { return node }
      times = (bounds.least, bounds.most)
      position = bounds.end - 1
    default: return node
    }
    position += 1
    guard max(times.least, times.most ?? 0) <= Self.mostTimes else {
      throw error("a part can be repeated at most \(Self.mostTimes) times", from: sign)
    }
    if let most = times.most, most < times.least {
      throw error("the lower bound is above the upper bound", from: sign)
    }
    if case .assertion = node {
      throw error("what matches between two characters cannot be repeated", from: sign)
    }
    let isGreedy = !read("?")
    if let current, ["*", "+", "?"].contains(current) || bounds(at: position) != nil {
      let second = position
      position += 1
      let isPossessive = current == "+" && isGreedy
      throw error(
        isPossessive
          ? "possessive repetitions are not supported: matching never goes back"
          : "a repetition cannot be repeated; put the part into (?:…)",
        from: second
      )
    }
    return .repetition(node, least: times.least, most: times.most, isGreedy: isGreedy)
  }

  /// What `{2}`, `{2,}`, `{,3}` and `{2,3}` say, and where they end; anything else is a brace.
  private func bounds(at start: Int) -> (least: Int, most: Int?, end: Int)? {
    guard start < scalars.count, scalars[start] == "{",
      let end = scalars[start...].prefix(12).firstIndex(of: "}")
    else { return nil }
    let text = scalars[start + 1..<end].map { Character($0) }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    let numbers = parts.map { part in
      part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil
    }
    let isNumber = zip(parts, numbers).allSatisfy { $0.isEmpty || $1 != nil }
    guard isNumber, parts.count <= 2, numbers.contains(where: { $0 != nil }) else { return nil }
    let least = numbers[0] ?? 0
    return (least, parts.count == 1 ? least : numbers[1], end + 1)
  }
}

// MARK: - Groups

extension RegexParser {
  private mutating func group(from start: Int) throws(Diagnostic) -> RegexNode {
    let outer = flags
    var number: Int?
    if read("?") {
      if let name = try name(from: start) {
        number = try addGroup(name, from: start)
      } else if try !flags(from: start) {
        // `(?i)` holds up to the end of the group around it.
        return .empty
      }
    } else {
      number = try addGroup(nil, from: start)
    }
    depth += 1
    guard depth <= Self.deepest else {
      throw error("the regular expression is nested more than \(Self.deepest) deep", from: start)
    }
    let node = try alternatives()
    depth -= 1
    guard read(")") else { throw unclosed("(", ")", from: start) }
    flags = outer
    return number.map { .group(node, number: $0) } ?? node
  }

  private mutating func addGroup(_ name: String?, from start: Int) throws(Diagnostic) -> Int {
    names.append(name)
    guard names.count <= Self.mostGroups else {
      throw error(
        "a regular expression can have at most \(Self.mostGroups - 1) groups; (?:…) captures nothing",
        from: start
      )
    }
    return names.count - 1
  }

  /// The name in `(?<name>`, of which `(?` has been read.
  private mutating func name(from start: Int) throws(Diagnostic) -> String? {
    guard current == "<" || current == "P" && peek(1) == "<" else { return nil }
    let isLookaround = peek(1) == "=" || peek(1) == "!"
    if isLookaround { throw unsupported("lookbehind", from: start, 2) }
    position += current == "P" ? 2 : 1
    let first = position
    var name = ""
    while let scalar = advance(), scalar != ">" { name.unicodeScalars.append(scalar) }
    let isName =
      name.first.map { $0.isLetter || $0 == "_" } == true
      && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    guard isName, scalars[position - 1] == ">" else {
      throw error("the name of a group is a word: (?<year>…)", from: first)
    }
    guard !names.contains(name) else {
      throw error("there are two groups called \"\(name.excerpt())\"", from: first)
    }
    return name
  }

  /// What stands behind `(?` and is no name: true for `(?:` and `(?i:`, false for `(?i)`.
  private mutating func flags(from start: Int) throws(Diagnostic) -> Bool {
    switch current {
    case "=", "!": throw unsupported("lookahead", from: start, 1)
    case ">": throw unsupported("an atomic group", from: start, 1)
    case "#": throw unsupported("a comment", from: start, 1)
    case "(": throw unsupported("a condition", from: start, 1)
    default: break
    }
    var isOn = true
    while let scalar = advance() {
      switch scalar {
      case ":": return true
      case ")": return false
      case "-": isOn = false
      case "i": flags.ignoresCase = isOn
      case "m": flags.isMultiline = isOn
      case "s": flags.dotMatchesNewline = isOn
      default: throw error("expected a flag: i, m or s", from: position - 1)
      }
    }
    throw unclosed("(", ")", from: start)
  }

  private mutating func unsupported(_ what: String, from start: Int, _ more: Int) -> Diagnostic {
    position += more
    return error("\(what) is not supported in a regular expression", from: start)
  }
}
