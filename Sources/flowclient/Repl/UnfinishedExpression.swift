import FlowFiles
import FlowLanguage

/// An expression that may go on: it knows the mistakes that stay, whatever follows.
struct UnfinishedExpression {
  private let characters: [Character]
  private let isRun: Bool
  private let known: (String) -> Bool
  private let scan: BracketScan

  init(_ characters: [Character], isRun: Bool, known: @escaping (String) -> Bool) {
    self.characters = characters
    self.isRun = isRun
    self.known = known
    scan = BracketScan(characters, from: 0, endsAtBlank: false)
  }

  /// The mistake, if there is one for certain.
  var mistake: Diagnostic? {
    guard characters.contains(where: { !$0.isWhitespace }) else { return nil }
    if let stray = scan.stray {
      // Nothing can be put behind it that would make it right.
      return error(in: String(characters[...stray])).flatMap { $0.offset <= stray ? $0 : nil }
    }
    var found: Diagnostic?
    for ending in scan.open.isEmpty ? tails : fillings {
      guard let error = error(in: ending) else { return nil }
      // An error further on may only hide this one.
      if found == nil, isBehindUs(error) { found = error }
    }
    return found
  }

  // MARK: What may follow

  /// What makes a publisher of something that is none.
  private static let tails = [
    "autoconnect()", "publish(every: 1).autoconnect()", "publisher", "switchToLatest()",
  ]

  /// The text as it is, and with each of the stages that make sense of what stands before them.
  private var tails: [String] {
    let text = String(characters)
    guard let word = lastWord else { return [text] }
    let before = String(characters[..<word.lowerBound])
    guard before.last == "." else { return [text] }
    let start = String(characters[word])
    // Whatever the word becomes, it is a stage as count() is.
    return [text, before + "count()"]
      + Self.tails.filter { $0.hasPrefix(start) }
      .map { before + $0 }
  }

  /// The text with several things in its open brackets.
  private var fillings: [String] {
    let text = String(characters)
    return ["", " 0", " $0 == 0", " { $0 }", ": 0"].map { text + $0 + scan.closers }
  }

  // MARK: What is behind us

  /// Whether what a mistake is about is complete, so that nothing that follows changes it.
  private func isBehindUs(_ mistake: Diagnostic) -> Bool {
    let end = mistake.offset + mistake.length
    guard mistake.unknown == nil, mistake.kind != .unmatched, end <= characters.count else {
      return false
    }
    if end <= unfinishedStart { return true }
    // Behind the word something else has begun.
    return mistake.kind == .unknownWord && end < endOfText && !isInParameters(mistake.offset)
  }

  /// Where the call begins that is being typed: all before it is complete.
  private var unfinishedStart: Int {
    if let first = scan.open.first { return startOfCall(before: first.place) }
    // A dot with nothing behind it is not complete either.
    if let word = lastWord { return word.isEmpty ? word.lowerBound - 1 : word.lowerBound }
    let end = endOfText
    guard end > 0 else { return 0 }
    if let word = wordEnding(at: end) { return word.lowerBound }
    guard let open = scan.partners[end - 1] else { return end }
    return startOfCall(before: open)
  }

  /// The end without the blanks there.
  private var endOfText: Int {
    (characters.lastIndex { !$0.isWhitespace } ?? -1) + 1
  }

  /// The word at the very end.
  private var lastWord: Range<Int>? {
    if let word = wordEnding(at: characters.count) { return word }
    return characters.last == "." ? characters.count..<characters.count : nil
  }

  private func wordEnding(at end: Int) -> Range<Int>? {
    var start = end
    while start > 0, Self.isInWord(characters[start - 1]) { start -= 1 }
    return start < end ? start..<end : nil
  }

  /// Where the call begins whose bracket stands at a place: behind its name there may be several.
  private func startOfCall(before place: Int) -> Int {
    var end = place
    while true {
      while end > 0, characters[end - 1].isWhitespace { end -= 1 }
      guard end > 0, let open = scan.partners[end - 1] else { break }
      end = open
    }
    guard let word = wordEnding(at: end) else { return end }
    // What Timer.publish(…) needs stands behind the name of its source.
    if word.lowerBound > 0, characters[word.lowerBound - 1] == ".",
      let source = wordEnding(at: word.lowerBound - 1),
      OperatorTable.entry(String(characters[source]))?.role == .source
    {
      return source.lowerBound
    }
    return word.lowerBound
  }

  /// Whether a place is in what may become the parameters of a closure: `{ total, order`.
  private func isInParameters(_ place: Int) -> Bool {
    guard let brace = scan.open.last(where: { $0.sign == "{" }), brace.place < place else {
      return false
    }
    let inside = characters[(brace.place + 1)...]
    return inside.allSatisfy { Self.isInWord($0) || " ,():".contains($0) }
      && !String(inside).contains(" in ")
  }

  private static func isInWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_-/*$".contains(character)
  }

  // MARK: Checking

  private func error(in text: String) -> Diagnostic? {
    do throws(Diagnostic) {
      // Where a name may be a difference, those that there are have to be known.
      if text.contains("-") { try check(text) } else { _ = try FreeExpression(text) }
      return nil
    } catch {
      return error
    }
  }

  /// Checks a text in which the names of the server are names.
  private func check(_ text: String) throws(Diagnostic) {
    let lookup = { (name: String) -> NamedSource? in
      if known(name) { return .subject }
      if let pattern = NamedSource.pattern(name) { return pattern }
      let isNoName = OperatorTable.entry(name) != nil || OperatorTable.isForeign(name)
      return isNoName || name.contains("-") ? nil : .subject
    }
    _ =
      try isRun
      ? RunDefinition(text, lookup: lookup, names: { [] }).pipeline
      : Pipeline(text, lookup: lookup, names: { [] })
  }
}
