import FlowLanguage
import FlowWire

/// Finds the completions at the cursor, for Tab.
struct Completer {
  struct Proposal: Equatable {
    let name: String
    /// The text that replaces the typed one.
    let text: String

    init(_ name: String, behind: String = "") {
      self.name = name
      text = name + behind
    }
  }

  struct Answer: Equatable {
    /// The start of the text to replace, which ends at the cursor.
    let start: Int
    let proposals: [Proposal]

    var commonStart: String {
      guard var common = proposals.first?.name else { return "" }
      for proposal in proposals.dropFirst() {
        common = String(zip(common, proposal.name).prefix { $0 == $1 }.map(\.0))
      }
      return common
    }
  }

  var names = KnownNames()
  var members = SeenMembers()
  /// The ids of the open streams.
  var streams: [String] = []

  func answer(_ head: some Sequence<Character>) -> Answer? {
    let line = TypedLine(head)
    let last = line.lastWord
    if line.isFirstWord {
      return fitting(first, line.word, from: line.wordStart, ignoresCase: true)
    }
    if line.word.first == ":" {
      return fitting(ReplCommand.operands(of: line.word), last.text, from: last.start)
    }
    guard line.verb != nil else { return nil }
    if line.isInExpression, let text = line.expressionText {
      return expression(text, from: line.characters.count - text.count)
    }
    return fitting(operands(line), last.text, from: last.start)
  }

  private func fitting(
    _ proposals: [Proposal],
    _ typed: String,
    from start: Int,
    ignoresCase: Bool = false
  ) -> Answer? {
    var seen: Set<String> = []
    let fitting = proposals.filter { proposal in
      let isFit =
        ignoresCase
        ? proposal.name.lowercased().hasPrefix(typed.lowercased()) : proposal.name.hasPrefix(typed)
      return isFit && seen.insert(proposal.name).inserted
    }
    return fitting.isEmpty ? nil : Answer(start: start, proposals: fitting)
  }

  // MARK: Words

  private var first: [Proposal] {
    Verb.allCases.map { verb in
      Proposal(verb.rawValue, behind: verb.form == verb.rawValue ? "" : " ")
    } + ReplCommand.table.map { Proposal($0.name, behind: $0.operand.isEmpty ? "" : " ") }
  }

  private func operands(_ line: TypedLine) -> [Proposal] {
    guard let verb = line.verb else { return [] }
    let options = Hints.options(of: verb).map { option in
      Proposal(option, behind: option.hasSuffix("=") ? "" : " ")
    }
    guard line.completeWords == 0 else {
      if verb == .list, line.completeWords == 1 { return [] }
      return options.filter { !String(line.characters).contains(" \($0.name)") }
    }
    return switch verb {
    case .send, .publish, .feed: plain(names.names(["subject"]))
    case .done, .fail: plain(names.names(["subject"]) + streams)
    case .request, .cancel: plain(streams)
    case .delete, .tap: plain(names.names(["subject", "pipeline", "run"]))
    case .show, .stats, .watch: plain(names.names())
    case .serve: plain(names.names(["service"]))
    case .list: plain(ListKind.allCases.map(\.rawValue))
    case .kill: plain(["CLIENT", "NAME", "STREAM"])
    case .help:
      plain(
        CommandTable.all.map(\.name) + OperatorTable.all.map(\.name) + FunctionTable.names
          + HelpTopic.allCases.map(\.rawValue)
      )
    case .quit: plain(["now"])
    default: []
    }
  }

  private func plain(_ names: [String]) -> [Proposal] { names.map { Proposal($0) } }

  // MARK: Expressions

  /// Completes the last word of an expression with the parser's expectations; `text` begins at
  /// `start`.
  private func expression(_ text: [Character], from start: Int) -> Answer? {
    let word = UnfinishedWord(text, isName: names.contains)
    let proposals: [Proposal] =
      switch word.before.expected {
      case .stage: Self.stages
      case .member(let path): plain(path.map(members.names) ?? []) + Self.functions
      case .keyPath(let path): plain(members.names(behind: path))
      case .publisher: labels(word.before) + sources
      case .value: labels(word.before) + Self.closureWords
      case nil: []
      }
    return fitting(proposals, word.text, from: start + word.start)
  }

  /// Names of the server, and other beginnings of a pipeline.
  private var sources: [Proposal] {
    plain(names.names(["subject", "pipeline"]))
      + OperatorTable.all.filter { $0.role == .source && $0.name != "publisher" }.map(Self.call)
  }

  private static let stages: [Proposal] =
    OperatorTable.all.filter { $0.role != .source || $0.name == "publisher" }.map(call)
    .sorted { $0.name < $1.name }

  private static let functions = FunctionTable.names.sorted().map { Proposal($0) }

  private static let closureWords = ["$0", "$1"].map { Proposal($0) }

  /// Returns an operator's name with the beginning of its arguments or closure.
  private static func call(_ entry: OperatorEntry) -> Proposal {
    let rest = entry.signature.dropFirst(entry.name.count)
    if rest.hasPrefix(" {") { return Proposal(entry.name, behind: " { ") }
    if rest == "()" || (rest.hasPrefix("()") && !rest.contains(" or ") && !rest.contains(", ")) {
      return Proposal(entry.name, behind: "()")
    }
    return Proposal(entry.name, behind: rest.hasPrefix("(") ? "(" : "")
  }

  /// Returns the argument labels allowed here.
  private func labels(_ expression: UnfinishedExpression) -> [Proposal] {
    guard expression.isAtBeginning, let open = expression.open.last, open.sign == "(",
      let entry = open.entry
    else { return [] }
    return entry.labels.filter { !$0.isEmpty && !open.labels.contains($0) }
      .map { Proposal("\($0):", behind: " ") }
  }
}
