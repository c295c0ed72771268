import FlowCore

extension OperatorTable {
  static let logging: [OperatorEntry] = [
    stage(
      "print(label)",
      "Logs everything that passes.",
      demand: "the same",
      "taps.print(\"taps\")",
      MarbleExample("taps.print(\"taps\")", ["taps": "1-2-|"], gives: "1-2-|"),
      traits: [.passesAll, .keepsName],
      compile: Compiler.log
    )
  ]
}

extension Compiler {
  func log(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    let label = try arguments.unlabelled.first.map { (syntax) throws(Diagnostic) in
      try values(in: scope).compile(syntax, in: scope)
    }
    var stage = call.stage(publishes: call.kinds) {
      (upstream, locals, context) throws(EvaluationError) in
      let label = try label?(&locals).plainText ?? ""
      return upstream.print(label, to: Log(context)).eraseToAnyPublisher()
    }
    stage.mentions = .printing
    return stage
  }

  /// Hands whole lines to the context.
  private struct Log: TextOutputStream {
    private let context: any PipelineContext
    private var line = ""

    init(_ context: any PipelineContext) { self.context = context }

    mutating func write(_ string: String) {
      line += string
      while let end = line.firstIndex(of: "\n") {
        context.log(String(line[..<end]))
        line.removeSubrange(...end)
      }
    }
  }
}
