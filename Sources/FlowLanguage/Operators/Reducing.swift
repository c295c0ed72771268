import FlowCore

extension OperatorTable {
  static let reducing: [OperatorEntry] = [
    stage(
      "contains(value) or contains(where: { value in … })",
      "Publishes whether there is such a value, as soon as that is known.",
      demand: result("cancels its upstream"),
      "orders.contains { $0.urgent }",
      MarbleExample("taps.contains(2)", ["taps": "1-2-3-|"], gives: "--['true'|]"),
      traits: [.endsEarly, .seesName],
      price: 640,
      compile: Compiler.contains
    ),
    stage(
      "allSatisfy { value in … }",
      "Publishes whether the closure is true for all values, as soon as that is known.",
      demand: result("cancels its upstream"),
      "orders.allSatisfy { $0.paid }",
      MarbleExample(
        "taps.allSatisfy { $0 < 5 }",
        ["taps": "1-2-3-|"],
        gives: "------['true'|]"
      ),
      traits: [.endsEarly, .seesName],
      price: 688,
      compile: Compiler.allSatisfy
    ),
    stage(
      "count()",
      "Publishes the number of values when upstream finishes.",
      demand: result("keeps counting"),
      "orders.count()",
      MarbleExample("taps.count()", ["taps": "a-b-c-|"], gives: "------[3|]"),
      price: 288,
      compile: Compiler.count(_:in:)
    ),
    stage(
      "min() or min(by: { a, b in … })",
      "Publishes the smallest value when upstream finishes, as compared by a closure or a key path.",
      demand: result("keeps comparing"),
      "orders.min(by: \\.price)",
      MarbleExample("taps.min()", ["taps": "2-1-3-|"], gives: "------[1|]"),
      traits: [.seesName],
      price: 800,
      compile: Compiler.least
    ),
    stage(
      "max() or max(by: { a, b in … })",
      "Publishes the greatest value when upstream finishes, as compared by a closure or a key path.",
      demand: result("keeps comparing"),
      "orders.max(by: { $0.price < $1.price })",
      MarbleExample("taps.max()", ["taps": "2-1-3-|"], gives: "------[3|]"),
      traits: [.seesName],
      price: 800,
      compile: Compiler.greatest
    ),
    stage(
      "replaceEmpty(with: value)",
      "Publishes the value if upstream finishes without one.",
      demand: StageDemand(
        asks: .same("the same"),
        ends: "with its upstream, or after the replacement"
      ),
      "orders.replaceEmpty(with: 0)",
      MarbleExample("taps.replaceEmpty(with: 0)", ["taps": "---|"], gives: "---[0|]"),
      price: 128,
      compile: Compiler.replaceEmpty
    ),
  ]

  static func result(_ full: String) -> StageDemand {
    StageDemand(
      asks: .unlimited("unlimited"),
      holds: .values("1"),
      full: full,
      ends: "after its result",
      makesValues: true
    )
  }
}

extension Compiler {
  func replaceEmpty(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (value, kinds) = try replacement(call, in: scope)
    return call.stage(publishes: kinds) { (upstream, locals, _) throws(EvaluationError) in
      upstream.replaceEmpty(with: try value(&locals)).eraseToAnyPublisher()
    }
  }

  func contains(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    guard !call.list.isEmpty else { throw arguments.missing("a value or a closure") }
    if arguments.labelled("where") == nil, let value = arguments.unlabelled.first, !value.isFunction
    {
      let value = try values(in: scope).compile(value, in: scope)
      return call.stage(publishes: .bool) { (upstream, locals, context) throws(EvaluationError) in
        let wanted = try value(&locals)
        // Of a payload it would make a value in any case, which others on the subject may need, too.
        return Self.deciding(true, upstream, context.work, makesAll: false) { (input, _) in
          input.value == wanted
        }
        .contains(.bool(true)).map(Value.bool).eraseToAnyPublisher()
      }
    }
    let test = try predicate(arguments.function("where"), of: call, in: scope)
    return call.stage(publishes: .bool) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let (outer, leave) = (locals.captured, number.leavingOut(in: context))
      return Self.deciding(true, upstream, context.work, leave: leave) {
        (input, work) throws(PipelineFailure) in try test.truth(outer, input, work)
      }
      .tryContains { $0 == .bool(true) }.map(Value.bool)
      .mapError(PipelineFailure.init(any:)).eraseToAnyPublisher()
    }
  }

  func allSatisfy(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let test = try predicate(call.arguments(unlabelled: 1).function(), of: call, in: scope)
    return call.stage(publishes: .bool) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let (outer, leave) = (locals.captured, number.leavingOut(in: context))
      return Self.deciding(false, upstream, context.work, leave: leave) {
        (input, work) throws(PipelineFailure) in try test.truth(outer, input, work)
      }
      .tryAllSatisfy { $0 == .bool(true) }.map(Value.bool)
      .mapError(PipelineFailure.init(any:)).eraseToAnyPublisher()
    }
  }

  /// Publishes what `test` says of a value if that is `decisive`, and nothing of all others, to one who
  /// asks for everything.
  private static func deciding(
    _ decisive: Bool,
    _ upstream: Stream,
    _ work: Work,
    makesAll: Bool = true,
    leave: ((LeftOut) -> Void)? = nil,
    _ test: @escaping (Incoming, Work?) throws(PipelineFailure) -> Bool
  ) -> Stage {
    Stage(upstream: upstream, makesAll: makesAll, work: work, leave: leave) {
      { (input, work) throws(PipelineFailure) in
        try test(input, work) == decisive ? .publish(.bool(decisive)) : .takeIn
      }
    }
  }

  func count(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    _ = try call.arguments(unlabelled: 0)
    return call.stage(publishes: .int) { (upstream, _, _) throws(EvaluationError) in
      upstream.count().map(Value.int).eraseToAnyPublisher()
    }
  }

  func least(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    try extreme(call, in: scope) { (isBefore, new, old) throws(PipelineFailure) in
      try isBefore(new, old)
    }
  }

  func greatest(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    try extreme(call, in: scope) { (isBefore, new, old) throws(PipelineFailure) in
      try isBefore(old, new)
    }
  }

  private typealias Order = (Incoming, Incoming) throws(PipelineFailure) -> Bool

  /// `min` and `max`; `isChosen` says whether a new value takes the place of the old one.
  private func extreme(
    _ call: StageCall,
    in scope: Scope,
    _ isChosen:
      @escaping (Order, _ new: Incoming, _ old: Incoming) throws(PipelineFailure) -> Bool
  ) throws(Diagnostic) -> CompiledStage {
    let name = call.entry.name
    let known = call.kinds.subtracting(.null)
    if call.list.isEmpty, !known.isEmpty, known.isDisjoint(with: [.number, .string]) {
      let message = "\(name) compares numbers or strings, not \(known.text)"
      throw Diagnostic("\(message); say how with \(name)(by:)", at: call.name.range)
    }
    let precedes = try comparison(call, by: .less, in: scope) { (a, b) throws(EvaluationError) in
      try a.precedes(b, for: name)
    }
    return call.stage(publishes: call.kinds) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let outer = locals.captured
      let chosen = ChosenValue(HeldValues(of: name, in: context.memoryBudget))
      return chosen.publisher(of: upstream, context.work, leave: number.leavingOut(in: context)) {
        (input, work) throws(PipelineFailure) in
        guard let old = try chosen.valueToCompare(work) else {
          try precedes.check(outer, input, work)
          return true
        }
        let order: Order = { (a, b) throws(PipelineFailure) in try precedes(outer, a, b, work) }
        return try isChosen(order, input, .value(old))
      }
    }
  }
}
