import FlowFiles
import FlowLanguage
import FlowRemote
import FlowWire
import Programs

/// Draws the flow between names: `graph FILE|EXPR`.
struct GraphRequest: ClientCommand {
  /// `nil` for a bare name, which a server knows.
  var text: ExplainedText? = .expression("")
  var name = ""
  var form = Graph.Form.text

  static let entry = VerbEntry(
    GraphRequest(),
    usage: "graph FILE|EXPR",
    group: .files,
    summary: "draw what flows where, as text, -o dot or -o mermaid",
    forms: Graph.Form.allCases.map(\.rawValue),
    examples: ["flowclient graph shop.flow", "flowclient graph -o dot shop.flow"]
  )

  var asksServer: Bool { text == nil }

  mutating func read(_ words: CommandWords) throws(UsageError) {
    text = try words.explainedText()
    name = words.text
    form = words.output.flatMap(Graph.Form.init(rawValue:)) ?? form
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    let graph: Graph
    switch text {
    case .file(let path)?: graph = Graph(try TextFile.definitions(path, session.surroundings))
    case .expression(let text)?: graph = Graph(try FreeExpression(checking: text).stages)
    case nil: graph = Graph(try await stages(in: session))
    }
    session.surroundings.writeOutput(graph.lines(form).map { "\($0)\n" }.joined())
    return .done
  }
}

extension GraphRequest {
  /// Returns the stages of the name; a pipeline that it reads counts as one.
  private func stages(in session: ClientSession) async throws(ClientError) -> [StageDescription] {
    let remote = try await session.connect(reconnects: false, stateChanged: { _ in })
    defer { remote.close() }
    let rows: [Row]
    do throws(RemoteError) {
      rows = try await remote.command(.show(name)).rows.map { Row($0) }
    } catch {
      throw ClientError(error)
    }
    let definition = rows.first { $0.kind == .definition }
    switch definition.flatMap({ try? TaggedCommand($0.text) })?.command {
    case .pipeline(_, let expression)?, .run(_, let expression, _, _)?:
      return try FreeExpression(checking: expression.text).stages
    default: return try FreeExpression(checking: name).stages
    }
  }
}

extension FreeExpression {
  /// Compiles an expression; throws with carets below each mistake.
  init(checking text: String) throws(ClientError) {
    do throws(Diagnostic) {
      try self.init(text)
    } catch {
      throw ClientError(.badInput, error, in: text)
    }
  }
}

extension TextFile {
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
