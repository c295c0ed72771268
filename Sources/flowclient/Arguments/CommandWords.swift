import FlowWire
import Programs

/// The words of a command that are not options.
struct CommandWords {
  /// The command as it was typed.
  let verb: String
  /// The words behind the command.
  let operands: [String]
  /// The number of operands before `--`, if it was typed; -1: it stands before the command.
  let divider: Int?
  /// The value of `-o`, if it was typed: one of the command's `forms`.
  let output: String?

  /// The operands as one text.
  var text: String { operands.joined(separator: " ") }

  var example: String? { Self.example(verb) }

  static func example(_ verb: String) -> String? {
    VerbTable.entry(verb)?.examples.first.map { "as in: \($0)" }
  }

  /// Returns the operands of a command that needs a file.
  func files() throws(UsageError) -> [String] {
    guard !operands.isEmpty else { throw UsageError("\(verb) needs a FILE", advice: example) }
    return operands
  }

  /// Returns the NAME behind a command that can do without.
  func optionalName() throws(UsageError) -> String? {
    guard operands.count < 2 else {
      throw UsageError("\(verb.lowercased()) takes at most one NAME", advice: example)
    }
    return try operands.first.map(Self.name)
  }

  /// Returns `word` if it is a NAME, which goes into a line of the protocol as it is.
  static func name(_ word: String) throws(UsageError) -> String {
    guard Name.isReadable(word) else {
      throw UsageError("NAME is \"\(word)\", expected \(Name.expected(insteadOf: word))")
    }
    return word
  }

  /// Joins the lines of an expression, as those in the brackets of a file are joined.
  static func joinLines(_ text: String) -> String {
    guard text.contains(where: \.isNewline) else { return text }
    let lines = text.split(whereSeparator: \.isNewline).map { line in
      let start = line.drop { $0.isWhitespace }
      return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
    return lines.filter { !$0.isEmpty }.reduce("") { text, line in
      text + (text.isEmpty || line.hasPrefix(".") ? "" : " ") + line
    }
  }

  static func checkIsOneLine(_ text: String, _ what: String) throws(UsageError) {
    guard !text.utf8.contains(where: { $0 == 10 || $0 == 13 }) else {
      throw UsageError("\(what) must not contain a line break")
    }
  }
}
