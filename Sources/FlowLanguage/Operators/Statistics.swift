import FlowCore

extension OperatorTable {
  static let statistics: [OperatorEntry] = [
    stage(
      "sum()",
      "Publishes the sum of the numbers when upstream finishes; 0 if there are none.",
      demand: result("keeps adding"),
      "taps.window(.seconds(10)) { $0.sum() }",
      MarbleExample("taps.sum()", ["taps": "1-2-3-|"], gives: "------[6|]"),
      price: 800,
      compile: Compiler.sum
    ),
    stage(
      "average()",
      "Publishes the average of the numbers, a Double, when upstream finishes; nothing if there are none.",
      demand: result("keeps adding"),
      "taps.group(by: { $0 % 2 }) { group, key in group.average().map { [key, $0] } }",
      MarbleExample("taps.average()", ["taps": "1-2-3-|"], gives: "------['2.0'|]"),
      price: 1184,
      compile: Compiler.average
    ),
    stage(
      "median()",
      "Publishes the number in the middle, or halfway between the two there, when upstream finishes.",
      demand: ordered,
      "taps.collect(.byTime(DispatchQueue.main, 1)).flatMap { $0.publisher.median() }",
      MarbleExample("taps.median()", ["taps": "9-2-3-4-|"], gives: "--------['3.5'|]"),
      price: 896,
      compile: Compiler.median
    ),
    stage(
      "percentile(number)",
      "Publishes the number that this part of all is below, from 0 to 1, when upstream finishes.",
      demand: ordered,
      "taps.percentile(0.95)",
      MarbleExample("taps.percentile(0.25)", ["taps": "9-1-3-2-|"], gives: "--------['1.75'|]"),
      price: 880,
      compile: Compiler.percentile
    ),
  ]

  private static let ordered = StageDemand(
    asks: .unlimited("unlimited"),
    holds: .values("65536"),
    full: "fails",
    ends: "after its result",
    makesValues: true
  )
}

extension Compiler {
  func sum(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    _ = try call.arguments(unlabelled: 0)
    return statistic(call, publishes: .number) { (_) throws(EvaluationError) in
      { _, _ in Total() }
    }
  }

  func average(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    _ = try call.arguments(unlabelled: 0)
    return statistic(call, publishes: .double) { (_) throws(EvaluationError) in
      { _, _ in Average() }
    }
  }

  func median(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    _ = try call.arguments(unlabelled: 0)
    return statistic(call, publishes: .double) { (_) throws(EvaluationError) in
      { Ordered($0, $1, fraction: 0.5) }
    }
  }

  func percentile(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let syntax = try call.arguments(unlabelled: 1).first("a number from 0 to 1")
    let value = try values(in: scope).decoded(syntax, in: scope)
    let fraction = { (locals: inout Locals) throws(EvaluationError) -> Double in
      let number = Scalar(try value(&locals))?.double ?? -1
      guard (0...1).contains(number) else {
        throw .fault("expected a number from 0 to 1, such as 0.95")
      }
      return number
    }
    try check(fraction, of: [syntax], at: syntax.range, in: scope)
    return statistic(call, publishes: .double) { (locals) throws(EvaluationError) in
      let fraction = try fraction(&locals)
      return { Ordered($0, $1, fraction: fraction) }
    }
  }

  /// What is made of all numbers when the upstream finishes; `make` prepares what makes one for each
  /// subscription.
  private func statistic(
    _ call: StageCall,
    publishes kinds: Kinds,
    _ make:
      @escaping (inout Locals) throws(EvaluationError) -> (HeldValues, Work) -> any Statistic
  ) -> CompiledStage {
    let (stage, name) = (call.text, call.entry.name)
    return call.stage(publishes: kinds) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let (counter, memoryBudget) = (number.counter(in: context), context.memoryBudget)
      let (make, work) = (try make(&locals), context.work)
      let leave = number.leavingOut(in: context)
      return Deferred {
        let statistic = make(HeldValues(of: name, in: memoryBudget, counter: counter), work)
        let taken = Stage(upstream: upstream, makesAll: true, work: work, leave: leave) {
          { (input, _) throws(PipelineFailure) in
            let value = input.value
            do throws(EvaluationError) {
              try statistic.take(Scalar(number: value, for: name))
            } catch {
              throw PipelineFailure(error, stage: stage, value: value, leavesOut: true)
            }
            try statistic.keep(value, in: stage)
            return .takeIn
          }
        }
        return taken.ignoreOutput().map { _ -> Value in }.append(
          Deferred {
            statistic.result().publisher.setFailureType(to: PipelineFailure.self)
          }
        )
      }
      .eraseToAnyPublisher()
    }
  }
}
