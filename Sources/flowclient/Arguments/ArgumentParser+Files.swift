import FlowFiles
import FlowWire
import Programs

extension ArgumentParser {
  /// What is done with files and expressions without a server, or by several commands to one.
  func fileAction(_ options: FileOptions) throws(UsageError) -> Action? {
    switch operands.first?.lowercased() {
    case "lint":
      var lint = options.lint
      lint.files = try files()
      return .lint(lint)
    case "test": return .test(TestRequest(files: try files(), limit: options.limit))
    case "fmt": return .format(try files(), isCheck: options.isCheck)
    case "explain": return try question().map(Action.explain)
    case "graph":
      guard let question = try question() else {
        let text = operands.dropFirst().joined(separator: " ")
        return .graph(.expression(text), options.graph)
      }
      return .graph(question, options.graph)
    case "apply":
      let files = try files()
      guard files.count == 1 else {
        throw UsageError("apply takes one FILE; it may include others")
      }
      return .apply(files[0], isDryRun: options.isDryRun, isForced: options.isForced)
    case "version": return .version
    case "help" where operands.count == 1: return .help(nil)
    // What is neither one of these commands nor a topic of the client, the server may know.
    case "help" where operands.count == 2:
      let topic = ClientTopic(rawValue: operands[1].lowercased())
      return (VerbTable.entry(operands[1])?.name ?? topic?.rawValue).map(Action.help)
    case "completion" where operands.count == 3 && operands[1] == Completion.names:
      return VerbEntry.Operand(rawValue: operands[2]).map(Action.names)
    case "completion":
      let shells = Completion.allCases.map(\.rawValue).joined(separator: ", ")
      guard operands.count == 2, let shell = Completion(rawValue: operands[1]) else {
        throw UsageError("completion needs a shell: \(shells)")
      }
      return .completion(shell)
    default: return nil
    }
  }

  private func files() throws(UsageError) -> [String] {
    guard operands.count > 1 else {
      throw UsageError("\(operands[0]) needs a FILE", advice: example(operands[0]))
    }
    return Array(operands.dropFirst())
  }

  /// A file or an expression; `nil` is a bare name, of which only a server knows more.
  private func question() throws(UsageError) -> ExplainRequest? {
    let text = operands.dropFirst().joined(separator: " ")
    guard !text.isEmpty else {
      throw UsageError(
        "\(operands[0]) needs an EXPR or a FILE",
        advice: example(operands[0])
      )
    }
    if operands.count == 2, text.hasSuffix(".flow") { return .file(text) }
    try checkIsOneLine(text, "the expression")
    return Name.isReadable(text) ? nil : .expression(text)
  }
}
