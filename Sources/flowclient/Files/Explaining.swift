import FlowFiles
import FlowLanguage
import FlowRemote
import FlowWire
import Programs

enum ExplainedText: Equatable {
  case file(String)
  case expression(String)
}

extension CommandWords {
  /// Returns the file or expression in the operands; `nil` for a bare name, which only a server
  /// knows.
  func explainedText() throws(UsageError) -> ExplainedText? {
    guard !text.isEmpty else {
      throw UsageError("\(verb) needs an EXPR or a FILE", advice: example)
    }
    if operands.count == 1, text.hasSuffix(".flow") { return .file(text) }
    let expression = Self.joinLines(text)
    return Name.isReadable(expression) ? nil : .expression(expression)
  }
}

/// The options of `explain EXPR|FILE`.
enum ExplainRequest: ClientCommand {
  case text(ExplainedText)
  /// A bare name, which the server explains.
  case name(LineRequest)

  static let entry = VerbEntry(
    ExplainRequest.text(.expression("")),
    usage: "explain EXPR|FILE",
    group: .look,
    summary: "show what each stage requests, may hold and does when full",
    operand: .name,
    examples: [
      "flowclient explain 'orders.filter { $0.price > 100 }'", "flowclient explain shop.flow",
    ]
  )

  var asksServer: Bool {
    if case .text(.file) = self { false } else { true }
  }

  mutating func read(_ words: CommandWords) throws(UsageError) {
    if let text = try words.explainedText() {
      self = .text(text)
    } else {
      self = .name(try LineRequest(words))
    }
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    switch self {
    case .text(let text): try await Explaining(request: text, session: session).run()
    case .name(let line): try await line.run(in: session)
    }
  }
}

/// Prints how each stage handles demand: `explain EXPR|FILE`.
///
/// A file defines its own names. For an expression the server is asked; without one, each name is
/// taken for a subject, and its capacity is unknown.
struct Explaining {
  let request: ExplainedText
  let session: ClientSession

  func run() async throws(ClientError) -> ExitCode {
    switch request {
    case .file(let path):
      let definitions = try TextFile.definitions(path, session.surroundings)
      for definition in definitions.all {
        guard let explanation = definition.explanation else { continue }
        let title = "\(definition.kind.uppercased()) \(definition.name)"
        let explained = Explained(explanation)
        write(
          session.isJSON
            ? objects(explained, of: definition.name) : [title] + table(explained) + [""]
        )
      }
    case .expression(let text):
      let explained = try await explained(text)
      write(session.isJSON ? objects(explained) : table(explained))
    }
    return .done
  }

  /// Returns the server's explanation, or one made here if the server does not answer or know the
  /// names.
  private func explained(_ text: String) async throws(ClientError) -> Explained {
    // Only a server can tell a name with hyphens from a difference.
    if session.namesServer, text.contains("-") { return try await answer(to: text) }
    let expression = try FreeExpression(checking: text)
    guard !expression.names.isEmpty || session.namesServer else {
      return Explained(expression.explanation)
    }
    do throws(ClientError) {
      return try await answer(to: text)
    } catch {
      if session.namesServer { throw error }
      for name in Set(expression.names).sorted() {
        session.remarks.note(
          "\(name) is unknown here, and so is what it holds; -s HOST:PORT asks its server"
        )
      }
      return Explained(expression.explanation, unknown: Set(expression.names))
    }
  }

  private func answer(to text: String) async throws(ClientError) -> Explained {
    let remote = try await session.connect(reconnects: false, stateChanged: { _ in })
    defer { remote.close() }
    let rows: [String]
    do throws(RemoteError) {
      rows = try await remote.command(.explain(Expression(text))).rows
    } catch {
      throw ClientError(error, in: text, behind: "EXPLAIN ")
    }
    guard let explained = Explained(answer: rows) else {
      throw ClientError(.protocolBroken, "\(session.server) answers EXPLAIN in another way")
    }
    return explained
  }

  private func write(_ lines: [String]) {
    session.surroundings.writeOutput(lines.map { "\($0)\n" }.joined())
  }

  /// Returns a table, as wide as the terminal.
  private func table(_ explained: Explained) -> [String] {
    let table = TextTable(
      columns: [
        .init(title: "#"), .init(title: "stage", least: 22),
        .init(title: "asks upstream for", least: 9), .init(title: "may hold", least: 7),
        .init(title: "when full", least: 9), .init(title: "on completion", least: 9),
      ],
      rows: explained.stages.map(cells)
    )
    let width = session.surroundings.textWidth
    let room = width.map { $0 - 1 } ?? .max
    let isNarrow = room < Self.leastForTable && !table.fits(width: room)
    let lines = isNarrow ? table.blocks(width: room) : table.foldedLines(width: room)
    let rate = explained.rate.map { "; sustained rate: \($0)" } ?? ""
    let inside = " inside: \(explained.holds)\(rate)"
    return lines.map { " \($0)" }
      + (width.map { DisplayText.fold(inside, to: $0, indent: 1) } ?? [inside])
  }

  /// The least columns for a table, whose cells would otherwise fold into single words.
  private static let leastForTable = 100

  private func cells(_ stage: Row) -> [String] {
    let isInner = stage.name.contains(".")
    let text = stage.text.split { $0.isWhitespace }.joined(separator: " ")
    let short = text.count > 44 ? "\(text.prefix(43))…" : text
    let origin = stage.fields["of"].map { " (\($0))" } ?? ""
    return [stage.name, (isInner ? "⤷ " : "") + short + origin]
      + Explained.fields.map { stage.fields[$0] ?? "" }
  }

  /// Returns an object for each stage; `name` is the definition in a file.
  private func objects(_ explained: Explained, of name: String? = nil) -> [String] {
    explained.stages.map { object($0, of: name) }
  }

  private func object(_ stage: Row, of name: String?) -> String {
    var pairs = name.map { [("name", $0)] } ?? []
    pairs += [("number", stage.name), ("stage", stage.text)]
    pairs += Explained.fields.map { ($0, stage.fields[$0] ?? "") }
    return JSONLine.texts(pairs)
  }
}
