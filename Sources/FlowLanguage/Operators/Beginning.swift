import FlowCore
import Spelling

extension OperatorTable {
  static let beginning: [OperatorEntry] = [
    source(
      "Just(value)",
      "Publishes one value and finishes.",
      demand: StageDemand(asks: "waits for one", ends: "after its value"),
      "Just([1, 2])",
      MarbleExample("Just([1, 2])", asking: "--1", gives: "--['[1,2]'|]"),
      traits: [.isAtHand, .hasOneValue],
      price: 160,
      .source(Compiler.just)
    ),
    source(
      "Empty(completeImmediately: true)",
      "Finishes at once; with false, it never does.",
      demand: StageDemand(asks: "needs none", ends: "at once"),
      "Empty()",
      MarbleExample("Empty()", gives: "|"),
      traits: [.isAtHand, .hasOneValue],
      price: 48,
      .source(Compiler.empty)
    ),
    source(
      "Fail(text) or Fail(error: text)",
      "Fails at once.",
      demand: StageDemand(asks: "needs none", ends: "with its failure, at once"),
      "Fail(\"closed\")",
      MarbleExample("Fail(\"closed\")", gives: "^"),
      traits: [.isAtHand, .hasOneValue],
      price: 64,
      .source(Compiler.fail)
    ),
    source(
      "Record(output: [value, …], completion: .finished) or "
        + "Record(output: [value, …], completion: .failure(text))",
      "Publishes the values, then finishes or fails with the text.",
      demand: StageDemand(asks: "sends what is requested", ends: "with its last value, as it says"),
      "Record(output: [1, 2, 3], completion: .finished)",
      MarbleExample(
        "Record(output: [1, 2], completion: .failure(\"no\"))",
        asking: "1-1",
        gives: "1-[2^]"
      ),
      traits: [.isAtHand],
      price: 256,
      .source(Compiler.record)
    ),
  ]
}

extension Compiler {
  func just(_ call: SourceCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let operand = try values(in: scope).operand(
      call.arguments(unlabelled: 1).first("a value"),
      in: scope
    )
    let value = operand.evaluation
    let source: PublisherFactory = { (locals, _) throws(EvaluationError) in
      Just(try value(&locals)).setFailureType(to: PipelineFailure.self).eraseToAnyPublisher()
    }
    return CompiledStage(source: source, kinds: operand.kinds)
  }

  func empty(_ call: SourceCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 0)
    let isImmediate = try optional(arguments.labelled("completeImmediately")) {
      (syntax) throws(Diagnostic) in try flag(syntax, in: scope)
    }
    let source: PublisherFactory = { (locals, _) throws(EvaluationError) in
      Empty(completeImmediately: try isImmediate?(&locals) ?? true).eraseToAnyPublisher()
    }
    return CompiledStage(source: source, kinds: [])
  }

  func fail(_ call: SourceCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    guard let error = arguments.labelled("error") ?? arguments.unlabelled.first else {
      throw arguments.missing("a text")
    }
    if let name = caseName(error, in: scope) {
      return CompiledStage(
        source: { (_, _) throws(EvaluationError) in throw .failed(name) },
        kinds: []
      )
    }
    let text = try values(in: scope).compile(error, in: scope)
    let source: PublisherFactory = { (locals, _) throws(EvaluationError) in
      throw .failed(try text(&locals).plainText)
    }
    return CompiledStage(source: source, kinds: [])
  }

  /// `Record(output: [1, 2], completion: .finished)`.
  func record(_ call: SourceCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    let output = try arguments.required("output")
    guard arguments.unlabelled.isEmpty else {
      throw arguments.missing("\"output:\" and \"completion:\" alone")
    }
    let values = try sequence(output, in: scope)
    guard let failure = try recordedFailure(arguments.labelled("completion"), in: scope) else {
      return values
    }
    let source: PublisherFactory = { (locals, context) throws(EvaluationError) in
      let error = PipelineFailure.stage(try failure(&locals).plainText)
      return try values.source(&locals, context).append(
        Fail(outputType: Value.self, failure: error)
      )
      .eraseToAnyPublisher()
    }
    return CompiledStage(source: source, kinds: values.kinds)
  }

  /// The text in `.failure("text")`; `nil` for `.finished`, and if nothing is said.
  private func recordedFailure(
    _ syntax: Syntax?,
    in scope: Scope
  ) throws(Diagnostic) -> Evaluation? {
    guard let syntax, syntax.lastName?.text != "finished" else { return nil }
    guard case .call(let callee, let arguments) = syntax.kind,
      callee.lastName?.text == "failure", arguments.count == 1, arguments[0].label == nil
    else {
      throw Diagnostic(
        "expected .finished or .failure(\"text\"), found \(text(syntax.range).excerpt())",
        at: syntax.range
      )
    }
    return try failureText(arguments[0].value, in: scope)
  }

  /// The case in `MyError.closed` or `.closed`, the type of which says nothing here.
  func caseName(_ syntax: Syntax, in scope: Scope) -> String? {
    switch syntax.kind {
    case .implicitMember(let name): return name.text
    case .member(let base, let name):
      guard case .name(let type) = base.kind, scope.number(of: type) == nil,
        type.first?.isUppercase ?? false, lookup(type) == nil
      else { return nil }
      return name.text
    default: return nil
    }
  }
}
