import FlowLanguage

/// What stands where an expression ends that is being typed.
struct ExpressionPlace {
  enum Kind: Equatable {
    /// Something to read.
    case beginning
    /// Behind the dot of a publisher.
    case stage
    /// Behind the dots of a value: the word for it, and the members so far.
    case member(of: String, [String])
    /// In the parentheses of an operator.
    case argument(of: String)
    /// In a closure.
    case value
  }

  let kind: Kind
  /// The word being typed, and where it begins.
  let word: String
  let start: Int
  /// What was typed of the arguments before.
  private(set) var argument = ""

  init(_ line: TypedLine) {
    let characters = line.characters
    let first = line.expressionStart ?? 0
    let open = line.scan?.open ?? []
    var start = characters.count
    while start > first, Self.isInWord(characters[start - 1]) { start -= 1 }
    let isBehindDot = start > first && characters[start - 1] == "."
    if !isBehindDot {
      // Names have levels and hyphens.
      while start > first, Self.isInName(characters[start - 1]) { start -= 1 }
    }
    self.start = start
    word = String(characters[start...])
    if isBehindDot {
      let chain = Self.chain(before: start - 1, from: first, in: characters)
      let isInClosure = open.contains { $0.sign == "{" }
      if let head = chain.first, head.hasPrefix("$") || isInClosure,
        OperatorTable.entry(head) == nil
      {
        kind = .member(of: head, Array(chain.dropFirst()))
      } else {
        kind = .stage
      }
      return
    }
    guard let last = open.last else {
      kind = .beginning
      return
    }
    if last.sign == "(", let name = Self.callee(before: last.place, in: characters),
      OperatorTable.entry(name) != nil
    {
      kind = .argument(of: name)
      argument = String(characters[(last.place + 1)..<start])
    } else if last.sign == "{" {
      // What flattens has publishers in its closure.
      let name = Self.callee(before: last.place, in: characters)
      kind = Self.flattens(name) ? .beginning : .value
    } else {
      kind = open.contains { $0.sign == "{" } ? .value : .beginning
    }
  }

  private static func flattens(_ name: String?) -> Bool {
    guard let name else { return false }
    return ["flatMap", "concatMap", "flatMapLatest", "exhaustMap", "catch", "Deferred"]
      .contains(name)
  }

  private static func isInWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_" || character == "$"
  }

  private static func isInName(_ character: Character) -> Bool {
    isInWord(character) || character == "-" || character == "/"
  }

  /// The name before a bracket: of `flatMap(maxPublishers: .max(2)) {` as well as of `map {`.
  static func callee(before place: Int, in characters: [Character]) -> String? {
    var end = place
    while end > 0, characters[end - 1] == " " { end -= 1 }
    if end > 0, characters[end - 1] == ")" {
      var depth = 0
      repeat {
        end -= 1
        if characters[end] == ")" { depth += 1 }
        if characters[end] == "(" { depth -= 1 }
      } while depth > 0 && end > 0
    }
    var start = end
    while start > 0, isInWord(characters[start - 1]) { start -= 1 }
    return start < end ? String(characters[start..<end]) : nil
  }

  /// The words between the dots before the one at `place`, the first of them first.
  private static func chain(
    before place: Int,
    from first: Int,
    in characters: [Character]
  ) -> [String] {
    var words: [String] = []
    var end = place
    while true {
      if end > first, "?!".contains(characters[end - 1]) { end -= 1 }
      var start = end
      while start > first, isInWord(characters[start - 1]) { start -= 1 }
      guard start < end else { return [] }
      words.insert(String(characters[start..<end]), at: 0)
      guard start > first, characters[start - 1] == "." else { return words }
      end = start - 1
    }
  }
}
