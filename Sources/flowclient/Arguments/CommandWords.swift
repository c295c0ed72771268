import FlowWire
import Programs

struct CommandWords {
  /// The command as typed.
  let verb: String
  let operands: [String]
  /// The number of operands before `--`; -1 if `--` precedes the command, nil without one.
  let divider: Int?
  /// The value of `-o`, one of the command's `forms`.
  let output: String?

  var text: String { operands.joined(separator: " ") }

  var example: String? { Self.example(verb) }

  static func example(_ verb: String) -> String? {
    VerbTable.entry(verb)?.examples.first.map { "as in: \($0)" }
  }

  /// Returns the operands; throws if there are none.
  func files() throws(UsageError) -> [String] {
    guard !operands.isEmpty else { throw UsageError("\(verb) needs a FILE", advice: example) }
    return operands
  }

  func optionalName() throws(UsageError) -> String? {
    guard operands.count < 2 else {
      throw UsageError("\(verb.lowercased()) takes at most one NAME", advice: example)
    }
    return try operands.first.map(Self.name)
  }

  /// Returns `word` if it is a NAME that can be sent unchanged.
  static func name(_ word: String) throws(UsageError) -> String {
    guard Name.isReadable(word) else {
      throw UsageError("NAME is \"\(word)\", expected \(Name.expected(insteadOf: word))")
    }
    return word
  }

  /// Joins the lines of an expression, as a file's lines in brackets are joined.
  static func joinLines(_ text: String) -> String {
    guard text.contains(where: \.isNewline) else { return text }
    let lines = text.split(whereSeparator: \.isNewline).map { String($0).trimmingBlanks }
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
