import FlowCore

extension Compiler {
  /// What the row of an operator makes of a call of it.
  func operation(
    _ call: Call,
    _ compile: OperatorEntry.CompileStage,
    in scope: Scope
  ) throws(Diagnostic) -> Source {
    var call = call
    if call.entry.traits.contains(.isCostly) { call.upstream = Self.paced(call.upstream) }
    return finished(try compile(self)(call, scope))
  }

  /// Notes what a stage publishes, and counts it.
  func finished(_ stage: CompiledStage) -> Source {
    kinds = stage.kinds
    return stage.countsItself ? stage.source : counted(stage.source)
  }

  /// The same, whose values wait where a turn has lasted long enough.
  static func paced(_ source: @escaping Source) -> Source {
    { (frame, context) throws(Trouble) in
      let stream = try source(&frame, context)
      return Stage(upstream: stream, passesAll: true, work: context.work) { { (_, _) in .pass } }
        .eraseToAnyPublisher()
    }
  }
}
