import FlowCore

extension OperatorTable {
  static let scanning: [OperatorEntry] = [
    stage(
      "scan(initial) { result, value in … }",
      "Publishes each result of the closure, which gets the previous result and the value.",
      demand: .same("the same"),
      "orders.scan(0) { $0 + $1.price }",
      MarbleExample("taps.scan(0) { $0 + $1 }", ["taps": "1-2-3-|"], gives: "1-3-6-|"),
      traits: [.passesAll, .keepsName],
      price: 432,
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
      traits: [.endsEarly, .seesName],
      price: 736,
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
    let (stage, leavesOut) = (call.text, call.leavesOut)
    return call.stage(publishes: results) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let outer = locals.captured
      let first = try initial(&locals)
      let (counter, memoryBudget) = (number.counter(in: context), context.memoryBudget)
      return Stage(
        upstream: upstream,
        counter: counter,
        makesAll: true,
        work: context.work,
        leave: number.leavingOut(in: context)
      ) {
        let latest = Latest(first, of: "scan", in: memoryBudget, leavesOut: leavesOut)
        return { (input, work) throws(PipelineFailure) in
          .publish(try latest.take(input, next, outer, work, stage))
        }
      }.eraseToAnyPublisher()
    }
    .countingItself
  }

  func reduce(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (initial, next, results) = try folding(call, in: scope)
    let (stage, leavesOut) = (call.text, call.leavesOut)
    return call.stage(publishes: results) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let outer = locals.captured
      let first = try initial(&locals)
      let latest = Latest(first, of: "reduce", in: context.memoryBudget, leavesOut: leavesOut)
      return Stage(
        upstream: upstream,
        makesAll: true,
        work: context.work,
        leave: number.leavingOut(in: context),
        result: { latest.value }
      ) {
        latest.begin(with: first)
        return { (input, work) throws(PipelineFailure) in
          _ = try latest.take(input, next, outer, work, stage)
          return .takeIn
        }
      }
      // Asks for everything, and lets the result wait until it is asked for.
      .last().map { (result) in withExtendedLifetime(latest) { result } }.eraseToAnyPublisher()
    }
  }
}

extension PipelineFailure {
  /// What is thrown by a stage of ours, with its type again.
  init(any error: any Error) {
    self = error as? PipelineFailure ?? .stage("\(error)")
  }
}

/// The last result of a fold.
private final class Latest {
  // memory 6
  /// The result, unless it is a scalar.
  @safe @exclusivity(unchecked) private var other: Value
  /// The result if that takes no reference: to exchange one for another costs nothing else.
  @safe @exclusivity(unchecked) private var scalar: Scalar?
  private let held: HeldValues
  private let leavesOut: Bool

  init(_ value: Value, of stage: String, in memoryBudget: MemoryBudget, leavesOut: Bool) {
    other = value
    self.leavesOut = leavesOut
    held = HeldValues(of: stage, in: memoryBudget)
  }

  var value: Value { scalar.map(Value.init) ?? other }

  /// Begins for whoever subscribes, who holds nothing of what was before.
  func begin(with value: Value) {
    held.clear()
    other = value
    scalar = nil
  }

  /// Goes on to what `next` makes of it and what comes in; returns that.
  @inline(__always)
  func take(
    _ input: Incoming,
    _ next: ClosureBody,
    _ outer: Locals.Captured,
    _ work: Work?,
    _ stage: String
  ) throws(PipelineFailure) -> Value {
    // A scalar takes as much memory as any other.
    if let scalar, let new = next.scalar(.value(Value(scalar)), and: input, work) {
      self.scalar = new
      return Value(new)
    }
    return try takeOther(input, next, outer, work, stage)
  }

  @inline(never)
  private func takeOther(
    _ input: Incoming,
    _ next: ClosureBody,
    _ outer: Locals.Captured,
    _ work: Work?,
    _ stage: String
  ) throws(PipelineFailure) -> Value {
    let new: Value
    do throws(EvaluationError) {
      new = try next.value(outer, .value(value), and: input, work)
    } catch {
      throw PipelineFailure(error, stage: stage, value: input.value, leavesOut: leavesOut)
    }
    try held.replace(with: new)
    scalar = Scalar(new)
    other = scalar == nil ? new : .null
    return new
  }
}
