import FlowCore

extension OperatorTable {
  static let appending: [OperatorEntry] = [
    stage(
      "append(value, …) or append(publisher)",
      "When upstream finishes, publishes values, the elements of a literal array or range, or a publisher's.",
      demand: StageDemand(
        asks: .same("the same; the remaining demand goes to what is appended"),
        ends: "after what is appended"
      ),
      "orders.append(returns)",
      MarbleExample("taps.append(8, 9)", ["taps": "1-2-|"], gives: "1-2-[89|]"),
      price: StagePrice(736, publisher: -160, branches: .inTurn),
      compile: Compiler.append
    ),
    stage(
      "prepend(value, …) or prepend(publisher)",
      "First publishes values, the elements of a literal array or range, or a publisher's.",
      demand: "the demand that remains after the prepended values",
      "orders.prepend([\"price\": 0])",
      MarbleExample(
        "taps.prepend(8, 9)",
        ["taps": "--1-2-|"],
        asking: "3",
        gives: "[89]-1---|"
      ),
      price: StagePrice(400, publisher: -325),
      compile: Compiler.prepend
    ),
  ]
}

extension Compiler {
  func append(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (more, kinds, branches) = try more(call, in: scope)
    return passing(call, publishes: kinds, below: branches) {
      [number = call.number] (locals, context) throws(EvaluationError) in
      let more = try more(&locals, number.below(context))
      return { $0.append(more).receive(subscriber: $1) }
    }
  }

  func prepend(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (more, kinds, branches) = try more(call, in: scope)
    var stage = passing(call, publishes: kinds, below: branches) {
      [number = call.number] (locals, context) throws(EvaluationError) in
      let more = try more(&locals, number.below(context))
      return { $0.prepend(more).receive(subscriber: $1) }
    }
    stage.subscribesLater = true
    return stage
  }

  /// A publisher, the elements of a literal array or range, or values; and what is published in all.
  private func more(
    _ call: StageCall,
    in scope: Scope
  ) throws(Diagnostic) -> (source: PublisherFactory, published: Kinds, branches: [Compiled]) {
    let arguments = try call.arguments(unlabelled: .max)
    let first = try arguments.first("values or a publisher")
    if arguments.unlabelled.count == 1, isPublisher(first, in: scope) {
      let more = try publisher(first, in: scope) as Compiled
      return (more.source, more.kinds.union(call.kinds), [more])
    }
    let more: CompiledStage
    if arguments.unlabelled.count == 1, first.isSequence {
      more = try sequence(first, in: scope)
    } else {
      more = try constants(arguments.unlabelled, in: scope)
    }
    return (more.source, more.kinds.union(call.kinds), [])
  }

  private func constants(
    _ list: [Syntax],
    in scope: Scope
  ) throws(Diagnostic) -> CompiledStage {
    var evaluations: [Evaluation] = []
    var kinds: Kinds = []
    for syntax in list {
      guard list.count == 1 || !isPublisher(syntax, in: scope) else {
        throw Diagnostic("expected one publisher, or values", at: syntax.range)
      }
      let operand = try values(in: scope).operand(syntax, in: scope)
      kinds.formUnion(operand.kinds)
      evaluations.append(operand.evaluation)
    }
    let source: PublisherFactory = { [evaluations] (locals, _) throws(EvaluationError) in
      var values: [Value] = []
      for evaluation in evaluations { values.append(try evaluation(&locals)) }
      return Publishers.Sequence(sequence: values).eraseToAnyPublisher()
    }
    return CompiledStage(source: source, kinds: kinds)
  }
}

extension Syntax {
  /// Whether this is a literal array or a range.
  fileprivate var isSequence: Bool {
    switch kind {
    case .array, .infix("...", _, _), .infix("..<", _, _): true
    default: false
    }
  }
}
