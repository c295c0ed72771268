import FlowCore

extension OperatorTable {
  static let scanning: [OperatorEntry] = [
    stage(
      "scan(initial) { result, value in … }",
      "Publishes each result of the closure, which gets the previous result and the value.",
      demand: "the same",
      "orders.scan(0) { $0 + $1.price }",
      MarbleExample("taps.scan(0) { $0 + $1 }", ["taps": "1-2-3-|"], gives: "1-3-6-|"),
      traits: [.passesAll],
      compile: Compiler.scan
    )
  ]

  static let folding: [OperatorEntry] = [
    stage(
      "reduce(initial) { result, value in … }",
      "Publishes the last result of the closure when upstream finishes.",
      demand: result("keeps folding"),
      "(1...10).publisher.reduce(0) { $0 + $1 }",
      MarbleExample("taps.reduce(0) { $0 + $1 }", ["taps": "1-2-3-|"], gives: "------[6|]"),
      traits: [.isCostly, .endsEarly],
      compile: Compiler.reduce
    )
  ]
}

extension Compiler {
  /// The closure of `scan` and `reduce` and the value they begin with; the results, of which that
  /// value is not published by `scan`, are of the kinds it is given first and makes.
  func folding(
    _ call: StageCall,
    in scope: Scope
  ) throws(Diagnostic) -> (initial: Evaluation, next: ClosureBody, results: Kinds) {
    let arguments = try call.arguments(unlabelled: 2)
    guard arguments.unlabelled.count == 2 else {
      throw arguments.missing("an initial value and a closure")
    }
    let initial = try values(in: scope).operand(arguments.first("a value"), in: scope)
    let closure = try arguments.function()
    var results = initial.kinds
    if results != results.ofAnyWidth {
      // The closure may make arrays of another number of elements than it begins with.
      let wide = try function(closure, of: [results.ofAnyWidth, call.kinds], in: scope)
      if !results.isSuperset(of: wide.kinds) { results = results.ofAnyWidth }
    }
    var next = try function(closure, of: [results, call.kinds], in: scope)
    if !results.isSuperset(of: next.kinds) {
      results.formUnion(next.kinds)
      next = try function(closure, of: [results, call.kinds], in: scope)
      if !results.isSuperset(of: next.kinds) {
        results = .any
        next = try function(closure, of: [results, call.kinds], in: scope)
      }
    }
    return (initial.evaluation, next, results)
  }

  func scan(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (initial, next, results) = try folding(call, in: scope)
    let stage = call.text
    return call.stage(publishes: results) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let outer = locals.captured
      let first = try initial(&locals)
      let memoryBudget = context.memoryBudget
      return Stage(upstream: upstream, counter: number.counter(in: context), work: context.work) {
        let latest = Latest(first, in: memoryBudget)
        return { (input, work) throws(PipelineFailure) in
          do throws(EvaluationError) {
            latest.value = try next.value(outer, .value(latest.value), and: input, work)
          } catch {
            throw PipelineFailure(error, stage: stage, value: input.value)
          }
          try latest.held.replace(with: latest.value)
          return .publish(latest.value)
        }
      }.eraseToAnyPublisher()
    }
    .countingItself
  }

  func reduce(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (initial, next, results) = try folding(call, in: scope)
    let stage = call.text
    return call.stage(publishes: results) { (upstream, locals, context) throws(EvaluationError) in
      let outer = locals.captured
      let first = try initial(&locals)
      let held = HeldValues(of: "reduce", in: context.memoryBudget)
      return upstream.tryReduce(first) { latest, value in
        let result: Value
        do throws(EvaluationError) {
          result = try next.value(outer, .value(latest), and: .value(value), nil)
        } catch {
          throw PipelineFailure(error, stage: stage, value: value)
        }
        try held.replace(with: result)
        return result
      }
      .mapError(PipelineFailure.init(any:)).eraseToAnyPublisher()
    }
  }
}

extension PipelineFailure {
  /// What is thrown by a stage of ours, with its type again.
  init(any error: any Error) {
    self = error as? PipelineFailure ?? .stage("\(error)")
  }
}

/// The result that a scan has last published.
private final class Latest {
  @safe @exclusivity(unchecked) var value: Value  // memory 6
  let held: HeldValues

  init(_ value: Value, in memoryBudget: MemoryBudget) {
    self.value = value
    held = HeldValues(of: "scan", in: memoryBudget)
  }
}
