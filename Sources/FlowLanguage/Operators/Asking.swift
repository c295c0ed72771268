import FlowCore
import Spelling

extension OperatorTable {
  static let asking: [OperatorEntry] = [
    source(
      "ask(service, value)",
      "Sends the value to a worker (SERVE) and publishes its answer.",
      demand: StageDemand(
        asks: "passed on to the worker",
        ends: "when the worker ends the call; fails if it disconnects"
      ),
      "orders.flatMap(maxPublishers: .max(3)) { ask(resize, $0).retry(3) }",
      nil,
      price: 640,
      .source(Compiler.ask)
    )
  ]
}

extension Compiler {
  /// `ask(service, value)`: the service is named, and need not have a worker yet.
  func ask(_ call: SourceCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 2)
    guard arguments.unlabelled.count == 2 else {
      throw arguments.missing("the name of a service and a value")
    }
    let service = try service(arguments.unlabelled[0], in: scope)
    let value = try values(in: scope).compile(arguments.unlabelled[1], in: scope)
    let source: PublisherFactory = { (locals, context) throws(EvaluationError) in
      context.ask(service, try value(&locals))
    }
    return CompiledStage(source: source, kinds: .any, mentions: Mentions(service: service))
  }

  /// The name of a service; it may have dashes and slashes, which elsewhere are signs.
  private func service(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> String {
    let name = text(syntax.range)
    switch syntax.kind {
    case .name where scope.number(of: name) != nil:
      throw Diagnostic(
        "ask needs the name of a service, found the value \"\(name.excerpt())\"",
        at: syntax.range
      )
    case .name, .infix("-", _, _), .infix("/", _, _):
      if NameGrammar.isName(name) { return name }
    case .literal(.string(let text)) where NameGrammar.isName(text):
      throw Diagnostic(
        "write the name of a service without quotes",
        at: syntax.range,
        suggestion: "ask(\(text), …)"
      )
    default: break
    }
    throw Diagnostic("ask needs the name of a service, as in ask(resize, $0)", at: syntax.range)
  }
}
