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
      let others = error.others.map { "\($0.text)\n\($0.drawing(in: text))" }
      let advice = [error.drawing(in: text)] + others
      throw ClientError(.badInput, error.text, advice: advice.joined(separator: "\n"))
    }
  }
}

extension Diagnostic {
  /// The text, or the part of it around the place, and carets below the place.
  fileprivate func drawing(in text: String) -> String {
    let start = max(0, offset - 60)
    let shown = String(text.dropFirst(start).prefix(100))
    let carets = String(repeating: "^", count: max(1, min(length, 40)))
    let blanks = String(repeating: " ", count: offset - start)
    return "  \(shown)\n  \(blanks)\(carets)"
  }
}

extension TextFile {
  /// Reads the definitions of a file; throws if it has errors.
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
