import FlowLanguage
import FlowWire

/// The grey text after the cursor: the form of a command or an operator.
enum Hints {
  /// Returns the hint at the end of a line; empty if there is none.
  static func hint(_ characters: [Character]) -> String {
    let line = TypedLine(characters)
    guard !line.word.isEmpty else { return "" }
    if line.isFirstWord { return beginning(line.word) }
    if line.word.first == ":" { return command(line) }
    guard let verb = line.verb else { return "" }
    if line.isInExpression, let expression = line.expressionText {
      if let hint = operatorHint(expression) { return hint }
      let unfinished = UnfinishedExpression(expression, isName: { _ in false })
      if !unfinished.open.isEmpty || characters.last == "." { return "" }
    }
    return rest(of: verb, line)
  }

  // MARK: Commands

  /// Returns the rest of the first word, if it is unique, with its form.
  private static func beginning(_ word: String) -> String {
    if word.first == ":" {
      let entries = ReplCommand.table.filter { $0.name.hasPrefix(word.lowercased()) }
      guard entries.count == 1, let entry = entries.first else { return "" }
      return "\(entry.name.dropFirst(word.count)) \(entry.operand)   \(entry.summary)"
    }
    let upper = word.uppercased()
    let exact = Verb(rawValue: upper)
    let fitting = Verb.allCases.filter { $0.rawValue.hasPrefix(upper) }
    guard let verb = exact ?? (fitting.count == 1 ? fitting.first : nil) else { return "" }
    let form = verb.form.dropFirst(word.count)
    return "\(form)   \(verb.summary)"
  }

  private static func command(_ line: TypedLine) -> String {
    let entry = ReplCommand.table.first { $0.name == line.word.lowercased() }
    return line.lastWord.text.isEmpty && line.completeWords == 0 ? entry?.operand ?? "" : ""
  }

  /// Returns the parts of the form that are still to come.
  private static func rest(of verb: Verb, _ line: TypedLine) -> String {
    let isOpen = !line.lastWord.text.isEmpty
    let done = line.completeWords + (isOpen ? 1 : 0)
    let words = String(line.characters).split { $0.isWhitespace }
    let keys = words.compactMap { word in
      word.firstIndex(of: "=").map { String(word[...$0]) }
    }
    let rest = parts(of: verb.form).dropFirst(done).filter { part in
      !keys.contains { part.contains("[\($0)") }
    }
    return rest.isEmpty ? "" : (isOpen ? " " : "") + rest.joined(separator: " ")
  }

  /// Returns the arguments of a form: `EXPR`, `[N|max]`, `[as=ID]`.
  static func parts(of form: String) -> [String] {
    var parts: [String] = []
    var part = ""
    var depth = 0
    for character in form {
      if character == "[" { depth += 1 }
      if character == "]" { depth -= 1 }
      if character == " ", depth == 0 {
        parts.append(part)
        part = ""
      } else {
        part.append(character)
      }
    }
    return Array((parts + [part]).dropFirst())
  }

  /// Returns the literal parts of the form: `as=`, `max`, `flow=free`.
  static func options(of verb: Verb) -> [String] {
    parts(of: verb.form).flatMap { part -> [String] in
      guard part.hasPrefix("["), part.hasSuffix("]") else { return [] }
      let inside = part.dropFirst().dropLast()
      let (key, values) = split(String(inside))
      return values.split { "| ".contains($0) }.compactMap { value in
        let isWord = value.allSatisfy { $0.isLowercase || $0.isNumber }
        if !key.isEmpty { return isWord ? "\(key)\(value)" : key }
        return isWord && value.contains(where: \.isLetter) ? String(value) : nil
      }
    }
  }

  private static func split(_ option: String) -> (key: String, values: String) {
    guard let sign = option.firstIndex(of: "=") else { return ("", option) }
    return (String(option[...sign]), String(option[option.index(after: sign)...]))
  }

  // MARK: Operators

  /// Returns the rest of an operator's name, arguments or closure.
  private static func operatorHint(_ expression: [Character]) -> String? {
    let word = UnfinishedWord(expression, isName: { _ in false })
    if word.before.expected == .stage, !word.text.isEmpty {
      let fitting = OperatorTable.all.filter { entry in
        entry.role != .source && entry.name.hasPrefix(word.text)
      }
      let exact = fitting.first { $0.name == word.text }
      guard let entry = exact ?? (fitting.count == 1 ? fitting.first : nil) else { return nil }
      return String(firstForm(entry).dropFirst(word.text.count))
    }
    guard let open = word.before.open.last, let entry = open.entry else { return nil }
    let isBegun = !word.text.isEmpty || !word.before.isAtBeginning
    switch open.sign {
    case "(": return arguments(of: entry, behind: max(0, open.labels.count - 1), isBegun)
    case "{" where !isBegun: return closure(of: entry, isApart: expression.last != "{")
    default: return nil
    }
  }

  private static func firstForm(_ entry: OperatorEntry) -> String {
    let signature = entry.signature
    let ends = [" or ", "), "].compactMap { signature.firstRange(of: $0)?.lowerBound }
    guard let end = ends.min() else { return signature }
    return String(signature[..<end]) + (signature[end] == ")" ? ")" : "")
  }

  /// Returns the arguments after the first `count`; without the next one if it `isBegun`.
  private static func arguments(
    of entry: OperatorEntry,
    behind count: Int,
    _ isBegun: Bool
  ) -> String? {
    let form = firstForm(entry).dropFirst(entry.name.count)
    guard form.first == "(" else { return nil }
    // The ends of the arguments, at a comma or the closing parenthesis.
    var ends: [String.Index] = []
    var depth = 0
    for index in form.indices {
      if "([{".contains(form[index]) { depth += 1 }
      if ")]}".contains(form[index]) { depth -= 1 }
      if depth == 0 || (depth == 1 && form[index] == ",") { ends.append(index) }
      if depth == 0 { break }
    }
    guard count < ends.count else { return nil }
    if isBegun { return String(form[ends[count]...]) }
    let before = count == 0 ? form.startIndex : ends[count - 1]
    return String(form[form.index(after: before)...].drop { $0 == " " })
  }

  /// Returns the rest of the closure in the operator's form, without its blank if one is typed.
  private static func closure(of entry: OperatorEntry, isApart: Bool) -> String? {
    guard let brace = entry.signature.lastIndex(of: "{") else { return nil }
    let rest = entry.signature[entry.signature.index(after: brace)...]
    return isApart ? String(rest.drop { $0 == " " }) : String(rest)
  }
}
