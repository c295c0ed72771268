import FlowWire

/// What is typed, up to a place, taken apart as far as a completion or a hint needs it.
struct TypedLine {
  let characters: [Character]
  /// The first word that is no tag; empty if there is none.
  let word: String
  /// Where that word begins.
  let wordStart: Int
  let verb: Verb?
  /// Where an expression begins, if the line has come to one, and how its brackets stand.
  private(set) var expressionStart: Int?
  private(set) var scan: BracketScan?

  init(_ characters: some Sequence<Character>) {
    let characters = Array(characters)
    var reader = Words(characters)
    var (start, word) = reader.next()
    if word.hasPrefix("@") { (start, word) = reader.next() }
    self.characters = characters
    self.word = word
    wordStart = start
    verb = Verb(rawValue: word.uppercased())
    guard reader.place < characters.count else { return }
    findExpression(&reader)
  }

  private mutating func findExpression(_ reader: inout Words) {
    switch verb {
    case .subscribe, .take, .tail, .explain:
      reader.skipBlanks()
      expressionStart = reader.place
    case .pipeline, .run:
      guard let sign = characters[reader.place...].firstIndex(of: "=") else { return }
      var place = sign
      // RUN may have an option before, as in restart=1s.
      while verb == .run, isOption(before: place) {
        guard let next = characters[(place + 1)...].firstIndex(of: "=") else { return }
        place = next
      }
      reader.place = place + 1
      reader.skipBlanks()
      expressionStart = reader.place
    default: return
    }
    let endsAtBlank = verb == .subscribe || verb == .take || verb == .tail
    scan = BracketScan(characters, from: reader.place, endsAtBlank: endsAtBlank)
  }

  /// Whether the `=` at a place ends the key of an option: letters behind the name and a blank.
  private func isOption(before sign: Int) -> Bool {
    let key = characters[..<sign].reversed().prefix { $0.isLetter || $0 == "-" }.count
    guard key > 0, sign + 1 < characters.count, !characters[sign + 1].isWhitespace else {
      return false
    }
    let words = String(characters[..<sign]).split { $0.isWhitespace }
    return words.count > 2
  }

  /// Whether its end is inside of the expression.
  var isInExpression: Bool { expressionStart != nil && scan?.end == characters.count }

  /// The word that its end is in, which may be empty, between blanks.
  var lastWord: (start: Int, text: String) {
    let start = (characters.lastIndex { $0.isWhitespace } ?? -1) + 1
    return (start, String(characters[start...]))
  }

  /// How many words stand behind the verb and before its end; an expression counts for one.
  var completeWords: Int {
    guard let scan, let expressionStart else {
      let words = String(characters).split { $0.isWhitespace }.count
      let isOpen = characters.last.map { !$0.isWhitespace } ?? false
      let tags = wordStart > 0 && characters.first == "@" ? 1 : 0
      return max(0, words - tags - 1 - (isOpen ? 1 : 0))
    }
    let before = String(characters[..<expressionStart]).split { $0.isWhitespace }.count - 1
    guard scan.end < characters.count else { return before }
    let behind = String(characters[scan.end...]).split { $0.isWhitespace }.count
    let isOpen = characters.last.map { !$0.isWhitespace } ?? false
    return before + 1 + behind - (isOpen ? 1 : 0)
  }

  /// Walks over words between blanks.
  private struct Words {
    let characters: [Character]
    var place = 0

    init(_ characters: [Character]) { self.characters = characters }

    mutating func skipBlanks() {
      while place < characters.count, characters[place].isWhitespace { place += 1 }
    }

    mutating func next() -> (start: Int, word: String) {
      skipBlanks()
      let start = place
      while place < characters.count, !characters[place].isWhitespace { place += 1 }
      return (start, String(characters[start..<place]))
    }
  }
}

extension TypedLine {
  /// Whether Enter begins a further line: what is typed has open brackets, or lacks its expression.
  ///
  /// An empty last line ends it all the same.
  var goesOn: Bool {
    guard let scan, let expressionStart else {
      let words = String(characters).split { $0.isWhitespace }
      return verb == .pipeline && words.last == "=" && !endsInEmptyLine
    }
    if endsInEmptyLine { return false }
    let rest = characters[expressionStart...].last { !$0.isWhitespace }
    guard let last = rest else { return verb == .pipeline || verb == .run }
    return scan.isInBrackets || (last == "." && scan.end == characters.count)
  }

  private var endsInEmptyLine: Bool {
    guard let end = characters.lastIndex(of: "\n") else { return false }
    return characters[end...].allSatisfy(\.isWhitespace)
  }
}
