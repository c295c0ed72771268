import FlowFiles
import FlowLanguage
import Programs

/// Draws what flows where: `graph FILE|EXPR`.
struct GraphRequest: ClientCommand {
  var text = ExplainedText.expression("")
  var form = Graph.Form.text

  static let entry = VerbEntry(
    GraphRequest(),
    usage: "graph FILE|EXPR",
    group: .files,
    summary: "draw what flows where, as text, -o dot or -o mermaid",
    forms: Graph.Form.allCases.map(\.rawValue),
    examples: ["flowclient graph shop.flow", "flowclient graph -o dot shop.flow"]
  )

  var asksServer: Bool { false }

  mutating func read(_ words: CommandWords) throws(UsageError) {
    text = try words.explainedText() ?? .expression(words.text)
    form = words.output.flatMap(Graph.Form.init(rawValue:)) ?? form
  }

  func run(in session: ClientSession) throws(ClientError) -> ExitCode {
    let graph =
      switch text {
      case .file(let path): Graph(try TextFile.definitions(path, session.surroundings))
      case .expression(let text): Graph(try FreeExpression(checking: text).stages)
      }
    session.surroundings.writeOutput(graph.lines(form).map { "\($0)\n" }.joined())
    return .done
  }
}

extension FreeExpression {
  /// Compiles what was typed; each mistake is shown in its place.
  init(checking text: String) throws(ClientError) {
    do throws(Diagnostic) {
      try self.init(text)
    } catch {
      throw ClientError(.badInput, error, in: text)
    }
  }
}

extension TextFile {
  /// What a file defines; it must be right.
  static func definitions(
    _ path: String,
    _ surroundings: any Surroundings
  ) throws(ClientError) -> Definitions {
    let definitions = Definitions(try script(path, surroundings))
    guard definitions.errors.isEmpty else {
      let count = definitions.errors.count
      throw ClientError(
        .badInput,
        "\(path) has \(count == 1 ? "an error" : "\(count) errors")",
        advice: definitions.errors.map(\.report).joined(separator: "\n")
      )
    }
    return definitions
  }
}
