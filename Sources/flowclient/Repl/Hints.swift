import FlowLanguage
import FlowWire

/// What is shown in grey behind the cursor: how a command or an operator is written.
enum Hints {
  /// The hint for a line that the cursor is at the end of; empty if there is none.
  static func hint(_ characters: [Character]) -> String {
    let line = TypedLine(characters)
    guard !line.word.isEmpty else { return "" }
    if characters.count == line.wordStart + line.word.count { return beginning(line.word) }
    if line.word.first == ":" { return command(line) }
    guard let verb = line.verb else { return "" }
    if line.isInExpression {
      if let hint = operatorHint(line) { return hint }
      if line.scan?.open.isEmpty == false || line.characters.last == "." { return "" }
    }
    return rest(of: verb, line)
  }

  // MARK: Commands

  /// What follows a first word that is complete, or can only become one.
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
    let form = verb.entry.form.dropFirst(word.count)
    return "\(form)   \(verb.entry.summary)"
  }

  private static func command(_ line: TypedLine) -> String {
    let entry = ReplCommand.table.first { $0.name == line.word.lowercased() }
    return line.lastWord.text.isEmpty && line.completeWords == 0 ? entry?.operand ?? "" : ""
  }

  /// The parts of the form that are still to come.
  private static func rest(of verb: Verb, _ line: TypedLine) -> String {
    let isOpen = !line.lastWord.text.isEmpty
    let done = line.completeWords + (isOpen ? 1 : 0)
    let words = String(line.characters).split { $0.isWhitespace }
    let keys = words.compactMap { word in
      word.firstIndex(of: "=").map { String(word[...$0]) }
    }
    let rest = parts(of: verb.entry.form).dropFirst(done).filter { part in
      !keys.contains { part.contains("[\($0)") }
    }
    return rest.isEmpty ? "" : (isOpen ? " " : "") + rest.joined(separator: " ")
  }

  /// The parts of a form behind the verb: `EXPR`, `[N|max]`, `[as=ID]`.
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

  /// What may be written as it stands in the form: `as=`, `max`, `flow=free`.
  static func options(of verb: Verb) -> [String] {
    parts(of: verb.entry.form).flatMap { part -> [String] in
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

  private static func operatorHint(_ line: TypedLine) -> String? {
    let place = ExpressionPlace(line)
    if place.kind == .stage, !place.word.isEmpty {
      let fitting = OperatorTable.all.filter { entry in
        entry.role != .source && entry.name.hasPrefix(place.word)
      }
      let exact = fitting.first { $0.name == place.word }
      guard let entry = exact ?? (fitting.count == 1 ? fitting.first : nil) else { return nil }
      return String(firstForm(entry).dropFirst(place.word.count))
    }
    guard let open = line.scan?.open.last,
      let name = ExpressionPlace.callee(before: open.place, in: line.characters),
      let entry = OperatorTable.entry(name)
    else { return nil }
    let typed = line.characters[(open.place + 1)...]
    switch open.sign {
    case "(": return arguments(of: entry, behind: typed)
    case "{": return closure(of: entry, behind: typed)
    default: return nil
    }
  }

  /// The first of the ways in which it can be written.
  private static func firstForm(_ entry: OperatorEntry) -> String {
    cut(entry.signature, before: [" or ", "), "]).first ?? entry.signature
  }

  private static func cut(_ text: String, before signs: [String]) -> [String] {
    let first = signs.compactMap { text.firstRange(of: $0)?.lowerBound }.min()
    guard let first else { return [text] }
    let isList = text[first] == ")"
    return [String(text[..<first]) + (isList ? ")" : "")]
  }

  /// The arguments that are still to come.
  private static func arguments(
    of entry: OperatorEntry,
    behind typed: ArraySlice<Character>
  ) -> String? {
    let form = Array(firstForm(entry).dropFirst(entry.name.count))
    guard form.first == "(" else { return nil }
    let commas = count(of: ",", in: typed)
    var depth = 0
    var seen = 0
    for (index, character) in form.enumerated().dropFirst() {
      if seen == commas, typed.allSatisfy(\.isWhitespace) || commas > 0 && endsInComma(typed) {
        return String(form[index...].drop { $0 == " " || $0 == "," })
      }
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if depth < 0 { return String(form[index...]) }
      if character == ",", depth == 0 {
        if seen == commas { return String(form[index...]) }
        seen += 1
      }
    }
    return nil
  }

  private static func endsInComma(_ typed: ArraySlice<Character>) -> Bool {
    typed.last { !$0.isWhitespace } == ","
  }

  /// How many of a sign stand outside of brackets and quotes.
  private static func count(of sign: Character, in typed: ArraySlice<Character>) -> Int {
    var depth = 0
    var isQuoted = false
    var count = 0
    for character in typed {
      if character == "\"" { isQuoted.toggle() }
      guard !isQuoted else { continue }
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if character == sign, depth == 0 { count += 1 }
    }
    return count
  }

  private static func closure(
    of entry: OperatorEntry,
    behind typed: ArraySlice<Character>
  ) -> String? {
    guard typed.allSatisfy(\.isWhitespace),
      let brace = entry.signature.lastIndex(of: "{")
    else { return nil }
    let rest = entry.signature[entry.signature.index(after: brace)...]
    return typed.isEmpty ? String(rest) : String(rest.drop { $0 == " " })
  }
}
