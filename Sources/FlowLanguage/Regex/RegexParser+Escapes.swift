import Spelling

// What stands behind a backslash, and in brackets.

extension RegexParser {
  /// A part that begins with a backslash, which has been read.
  mutating func escape(from start: Int) throws(Diagnostic) -> RegexNode {
    switch current {
    case "b": return assertion(.wordBoundary)
    case "B": return assertion(.noWordBoundary)
    case "A": return assertion(.startOfText)
    case "z": return assertion(.endOfText)
    default: break
    }
    if let (kind, isNegated) = try kind(from: start) {
      var set = ScalarSet()
      set.ignoresCase = flags.ignoresCase
      set.insert(kind, isNegated: isNegated)
      set.finish()
      return .set(set)
    }
    return literal(try scalar(from: start))
  }

  private mutating func assertion(_ assertion: RegexAssertion) -> RegexNode {
    _ = advance()
    return .assertion(assertion)
  }

  /// The class of `\d` and its like, or of `\p{L}`; moves only if there is one.
  private mutating func kind(
    from start: Int
  ) throws(Diagnostic) -> (ScalarSet.Kind, isNegated: Bool)? {
    if current == "p" || current == "P" { return try category(from: start) }
    let kinds: [Unicode.Scalar: (ScalarSet.Kind, Bool)] = [
      "d": (.digit, false), "D": (.digit, true), "w": (.word, false), "W": (.word, true),
      "s": (.space, false), "S": (.space, true),
    ]
    guard let current, let kind = kinds[current] else { return nil }
    _ = advance()
    return kind
  }

  /// The categories of `\p{L}`, `\P{L}` or `\p{^L}`.
  private mutating func category(
    from start: Int
  ) throws(Diagnostic) -> (ScalarSet.Kind, isNegated: Bool) {
    var isNegated = advance() == "P"
    guard read("{") else {
      throw error("the name of a category stands in braces: \\\(last){L}", from: start)
    }
    if read("^") { isNegated.toggle() }
    var name = ""
    while let scalar = advance(), scalar != "}" { name.unicodeScalars.append(scalar) }
    guard last == "}" else {
      throw error("\"{\" has no matching \"}\"", from: start).marked(.unmatched)
    }
    let categories = UnicodeCategory.named(name)
    guard !categories.isEmpty else {
      let some = "there are L, Lu, Ll, N, Nd, P, S, Sc, Z and others, but no scripts"
      throw error("there is no category \"\(name.excerpt())\" of characters; \(some)", from: start)
    }
    return (.categories(categories), isNegated)
  }

  /// The scalar that an escape stands for.
  private mutating func scalar(from start: Int) throws(Diagnostic) -> UInt32 {
    guard let letter = advance() else {
      throw error("a regular expression cannot end in a backslash", from: start)
    }
    switch letter {
    case "n": return 0x0A
    case "r": return 0x0D
    case "t": return 0x09
    case "f": return 0x0C
    case "v": return 0x0B
    case "0": return 0
    case "x": return try number(digits: 2, from: start)
    case "u": return try number(digits: 4, from: start)
    case "1"..."9", "k", "g":
      throw error("a reference to a group is not supported in a regular expression", from: start)
    case "X", "R", "N":
      throw error("\\\(letter) is not supported in a regular expression", from: start)
    case let letter where letter.properties.isAlphabetic || 0x30...0x39 ~= letter.value:
      throw error("unknown escape \\\(letter) in a regular expression", from: start)
    default: return letter.value
    }
  }

  /// The scalar of `\x41`, `\u00e9` or `\u{1F600}`, of which the letter has been read.
  private mutating func number(digits: Int, from start: Int) throws(Diagnostic) -> UInt32 {
    var text = ""
    if read("{") {
      while let scalar = advance(), scalar != "}" { text.unicodeScalars.append(scalar) }
    } else {
      for _ in 0..<digits { if let scalar = advance() { text.unicodeScalars.append(scalar) } }
      guard text.count == digits else {
        throw error("expected \(digits) hexadecimal digits", from: start)
      }
    }
    guard text.allSatisfy(\.isHexDigit), let number = UInt32(text, radix: 16),
      let scalar = Unicode.Scalar(number)
    else { throw error("no character has this number", from: start) }
    return scalar.value
  }
}

// MARK: - Sets

extension RegexParser {
  /// A set, of which the bracket has been read.
  mutating func set(from start: Int) throws(Diagnostic) -> RegexNode {
    var set = ScalarSet()
    set.isNegated = read("^")
    set.ignoresCase = flags.ignoresCase
    var isFirst = true
    while let current, current != "]" || isFirst {
      isFirst = false
      let place = position
      if current == "[" {
        throw error("a set cannot stand in a set; write a bracket as \\[", from: place)
      }
      if current == "&" && peek(1) == "&" || current == "-" && peek(1) == "-" {
        throw error("sets cannot be joined in a regular expression", from: place)
      }
      guard let low = try member(of: &set, from: place) else { continue }
      guard self.current == "-", let next = peek(1), next != "]" else {
        set.insert(low...low)
        continue
      }
      _ = advance()
      let second = position
      guard let high = try member(of: &set, from: second) else {
        throw error("a class cannot end a range", from: place)
      }
      guard low <= high else {
        throw error("the range has its ends the wrong way round", from: place)
      }
      set.insert(low...high)
    }
    guard read("]") else { throw unclosed("[", "]", from: start) }
    set.finish()
    return .set(set)
  }

  /// A scalar of a set; `nil` for a class, which goes into the set.
  private mutating func member(
    of set: inout ScalarSet,
    from start: Int
  ) throws(Diagnostic) -> UInt32? {
    guard advance() == "\\" else { return last.value }
    if let (kind, isNegated) = try kind(from: start) {
      set.insert(kind, isNegated: isNegated)
      return nil
    }
    if current == "b" {
      _ = advance()
      throw error("\\b stands for no character; write a backspace as \\x08", from: start)
    }
    return try scalar(from: start)
  }
}
