import FlowCore

extension OperatorTable {
  static let deferring: [OperatorEntry] = [
    source(
      "Deferred { … }",
      "Makes a new publisher for each subscription.",
      demand: StageDemand(asks: "passed on to the publisher", ends: "with the publisher"),
      "Deferred { Just(1).delay(for: 1) }",
      MarbleExample("Deferred { Just(1).delay(for: 1) }", gives: "-[1|]"),
      traits: .closureMakesPublisher,
      price: 32,
      .source(Compiler.deferred)
    )
  ]
}

extension Compiler {
  /// `Deferred { … }`.
  func deferred(_ call: SourceCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let closure = try call.arguments(unlabelled: 1).function()
    let made = try publisherFunction(closure, of: [], in: scope)
    let (make, isBelow) = (made.source, scope.isBelow)
    let number = StageNumber.source(in: scope)
    let source: PublisherFactory = { (locals, context) throws(EvaluationError) in
      let (outer, below) = (locals.captured, number.below(context))
      return Deferred { () -> Stream in
        var locals = Locals(outer)
        defer { outer.charge(locals) }
        do throws(EvaluationError) {
          return try make(&locals, below)
        } catch {
          let failure = PipelineFailure(error, stage: "Deferred", leavesOut: isBelow)
          // The value is that of the closure around it.
          guard let leftOut = failure.leftOut(outer.first) else { return .failing(failure) }
          context.leftOut(leftOut)
          return .nothing
        }
      }.eraseToAnyPublisher()
    }
    return CompiledStage(source: source, kinds: made.kinds, branches: [made])
  }
}
