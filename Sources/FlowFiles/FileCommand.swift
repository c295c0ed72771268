internal import FlowLanguage
internal import FlowWire
internal import Spelling

/// A line of a file that is one of the wire, too.
struct FileCommand {
  enum Kind {
    case subject(SubjectSettings)
    case pipeline(String)
    case run(String, restart: Int64?, failed: String?)
  }

  let kind: Kind
  let name: String
  /// Where the expression begins, in characters from 0.
  let offset: Int

  /// Reads the line of a step.
  init(_ step: Script.Step) throws(Finding) {
    let line = step.statement.line
    if line.text.hasPrefix("//") {
      throw step.file.finding(.error, "comments begin with #", in: line, at: 0, length: 2)
        .hidingRestOfLine
    }
    let word = String(line.text.prefix { !$0.isWhitespace })
    guard FlowFile.commands.contains(word.uppercased()) else { throw Self.unknownCommand(step) }
    let command: Command
    do throws(CommandError) {
      command = try TaggedCommand(line.text).command
    } catch {
      throw Self.finding(error.error.message, step)
    }
    switch command {
    case .subject(let name, let settings):
      (kind, self.name, offset) = (.subject(settings), name, 0)
    case .pipeline(let name, let expression):
      (kind, self.name, offset) = (.pipeline(expression.text), name, expression.column - 1)
    case .run(let name, let expression, let restart, let failed):
      kind = .run(expression.text, restart: restart, failed: failed)
      (self.name, offset) = (name, expression.column - 1)
    default: throw Self.finding("this command is not allowed in a file", step)
    }
  }

  /// Returns the error for an unknown command.
  ///
  /// It quotes nothing but the first word, since the file may hold secrets, as `/etc/shadow` does.
  private static func unknownCommand(_ step: Script.Step) -> Finding {
    let line = step.statement.line
    let word = String(
      line.text.prefix(longestWord).prefix { $0.isLetter || $0.isNumber || "_-".contains($0) }
    )
    let isWhole = line.text.dropFirst(word.count).first.map { $0.isWhitespace } ?? true
    let known = FlowFile.commands + FlowFile.words
    let meant = nearest(to: word, among: known)
    let hint =
      meant.map { "did you mean \"\($0)\"?" } ?? "expected \(known.joined(separator: ", "))"
    let message = "unknown command \"\(word)\(isWhole ? "" : "…")\"; \(hint)"
    return step.file.finding(.error, message, in: line, at: 0, length: max(1, word.count))
      .hidingRestOfLine
  }

  /// How many characters of a word are quoted.
  private static let longestWord = 20

  /// Shows what the message quotes, if the line has it.
  private static func finding(_ message: String, _ step: Script.Step) -> Finding {
    let line = step.statement.line
    if message.contains(" is missing") {
      // A missing sign belongs after the name, anything else at the end.
      let words = line.text.split(maxSplits: 2) { $0.isWhitespace }
      let end = message.hasPrefix("\"") && words.count > 2 ? words[1].endIndex : line.text.endIndex
      let offset = line.text.distance(from: line.text.startIndex, to: end)
      return step.file.finding(.error, message, in: line, at: offset, length: 1)
    }
    let parts = message.split(separator: "\"", omittingEmptySubsequences: false)
    if parts.count > 2, !parts[1].isEmpty, let place = line.text.firstRange(of: parts[1]) {
      let offset = line.text.distance(from: line.text.startIndex, to: place.lowerBound)
      return step.file.finding(.error, message, in: line, at: offset, length: parts[1].count)
    }
    return step.file.finding(.error, message, in: line, at: 0, length: line.text.count)
  }

  static func hint(_ name: String, _ names: [String]) -> String? { nearest(to: name, among: names) }
}
