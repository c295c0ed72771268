import FlowCore

extension OperatorTable {
  static let filtering: [OperatorEntry] = [
    stage(
      "filter { value in … }",
      "Publishes the values for which the closure is true.",
      demand: .same("the same, and 1 more for each value filtered out"),
      "orders.filter { $0.price > 100 }",
      MarbleExample(
        "taps.filter { $0 % 2 == 0 }",
        ["taps": "123456|"],
        asking: "1---1",
        gives: "-2---6|"
      ),
      traits: [.keepsName],
      price: 192,
      compile: Compiler.filter
    ),
    stage(
      "removeDuplicates() or removeDuplicates(by: { a, b in … })",
      "Drops values equal to the one before, as compared by a closure or a key path.",
      demand: .same("the same, and 1 more for each value filtered out"),
      "orders.removeDuplicates(by: \\.customer)",
      MarbleExample("taps.removeDuplicates()", ["taps": "112331|"], gives: "1-23-1|"),
      traits: [.keepsName],
      price: 400,
      compile: Compiler.removeDuplicates
    ),
    stage(
      "first() or first(where: { value in … })",
      "Publishes the first value, or the first for which the closure is true, and finishes.",
      demands: [
        StageDemand(
          asks: .unlimited("unlimited, until the first"),
          holds: .values("1"),
          full: "cancels its upstream",
          ends: "after its value"
        ),
        StageDemand(
          with: "where",
          asks: .same("the same, and 1 more for each value filtered out"),
          ends: "after its value"
        ),
      ],
      "orders.first { $0.urgent }",
      MarbleExample("taps.first { $0 > 1 }", ["taps": "1-2-3-|"], gives: "--[2|]"),
      traits: [.endsEarly, .seesName],
      price: 672,
      compile: Compiler.first
    ),
    stage(
      "last() or last(where: { value in … })",
      "Publishes the last value, or the last for which the closure is true, when upstream finishes.",
      demand: StageDemand(
        asks: .unlimited("unlimited"),
        holds: .values("1"),
        full: "keeps the newest",
        ends: "after its value",
        makesValues: true
      ),
      "orders.last()",
      MarbleExample("taps.last { $0 < 3 }", ["taps": "1-2-3-|"], gives: "------[2|]"),
      traits: [.seesName],
      price: 800,
      compile: Compiler.last
    ),
    stage(
      "prefix(count), prefix(while: { value in … }) or prefix(untilOutputFrom: publisher)",
      "Publishes the first values and finishes.",
      demands: [
        StageDemand(
          with: "while",
          asks: .same("the same"),
          ends: "at the first value that fails the test"
        ),
        StageDemand(
          with: "untilOutputFrom",
          asks: .same("the same; 1 from the other publisher"),
          ends: "with the other publisher's first value"
        ),
        StageDemand(asks: .same("the same"), ends: "after {count} values"),
      ],
      "orders.prefix(3)",
      MarbleExample(
        "taps.prefix(untilOutputFrom: stop)",
        ["taps": "1-2-3-4-", "stop": "-----x--"],
        gives: "1-2-3|"
      ),
      traits: [.endsEarly, .keepsName],
      price: 304,
      compile: Compiler.prefix
    ),
    stage(
      "dropFirst(count)",
      "Drops the first values; one if no count is given.",
      demand: .same("{count} at once, then the same"),
      "orders.dropFirst(2)",
      MarbleExample(
        "taps.dropFirst(2)",
        ["taps": "1-2-3-4|"],
        asking: "1",
        gives: "----3--|"
      ),
      traits: [.keepsName],
      price: 320,
      compile: Compiler.dropFirst
    ),
    stage(
      "drop(while: { value in … }) or drop(untilOutputFrom: publisher)",
      "Drops the values before the first that fails the test, or before the other publisher's first.",
      demands: [
        StageDemand(with: "while", asks: .same("the same, and 1 more for each value filtered out")),
        StageDemand(
          with: "untilOutputFrom",
          asks: .same("the same, dropped values included; 1 from the other publisher")
        ),
      ],
      "orders.drop(while: { $0.price < 100 })",
      MarbleExample(
        "taps.drop(untilOutputFrom: start)",
        ["taps": "1-2-3-4|", "start": "---x----"],
        gives: "----3-4|"
      ),
      traits: [.keepsName],
      price: 336,
      compile: Compiler.drop
    ),
    stage(
      "output(at: index) or output(in: 1...3)",
      "Publishes the values at these positions, counted from 0, and finishes.",
      demand: StageDemand(
        asks: .same("the same, and 1 more for each value filtered out"),
        ends: "after the last of these values"
      ),
      "orders.output(in: 1...3)",
      MarbleExample("taps.output(in: 1...2)", ["taps": "1-2-3-4-|"], gives: "--2-[3|]"),
      traits: [.endsEarly, .keepsName],
      price: 304,
      compile: Compiler.output
    ),
    stage(
      "ignoreOutput()",
      "Publishes no values, only the completion.",
      demand: .unlimited("unlimited"),
      "orders.ignoreOutput()",
      MarbleExample("taps.ignoreOutput()", ["taps": "1-2-3-|"], gives: "------|"),
      price: 112,
      compile: Compiler.ignoreOutput
    ),
  ]
}

extension Compiler {
  func filter(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    try each(call, makes: .bool, .judge(.passIfTrue), in: scope)
  }

  func first(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    guard call.list.isEmpty else {
      return try each(call, label: "where", makes: .bool, .judge(.lastIfTrue), in: scope)
    }
    return call.stage(publishes: call.kinds) { (upstream, _, context) throws(EvaluationError) in
      let held = HeldValues(of: "first", in: context.memoryBudget)
      return upstream.kept(.one, by: held).first().map { held.letGo(of: $0) }
        .eraseToAnyPublisher()
    }
  }

  func last(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let test =
      try call.list.isEmpty
      ? nil : predicate(call.arguments(unlabelled: 1).function("where"), of: call, in: scope)
    return call.stage(publishes: call.kinds) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let outer = locals.captured
      let counter = number.counter(in: context)
      let chosen = ChosenValue(HeldValues(of: "last", in: context.memoryBudget, counter: counter))
      return chosen.publisher(of: upstream, context.work, leave: number.leavingOut(in: context)) {
        (input, work) throws(PipelineFailure) in try test?.truth(outer, input, work) ?? true
      }
    }
  }

  /// `prefix(3)`, `prefix(while: { … })` and `prefix(untilOutputFrom: publisher)`.
  func prefix(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    if arguments.labelled("while") != nil || arguments.unlabelled.first?.isFunction ?? false {
      return try each(call, label: "while", makes: .bool, .judge(.finishUnlessTrue), in: scope)
    }
    if let stop = try publisher(arguments.labelled("untilOutputFrom"), in: scope) {
      return call.stage(publishes: call.kinds, below: [stop]) {
        [stop = stop.source, number = call.number] (upstream, locals, context)
          throws(EvaluationError) in
        upstream.prefix(untilOutputFrom: try stop(&locals, number.below(context)))
          .eraseToAnyPublisher()
      }
      .subscribingAtOnce
    }
    let count = try integer(arguments.first("a count"), atLeast: 0, in: scope)
    return passing(call) { (locals, _) throws(EvaluationError) in
      let count = try count(&locals)
      return { $0.prefix(count).receive(subscriber: $1) }
    }
  }

  func dropFirst(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    let one = Syntax(kind: .literal(.int(1)), range: call.name.range, height: 1)
    let count = try integer(arguments.unlabelled.first ?? one, atLeast: 0, in: scope)
    return passing(call) { (locals, _) throws(EvaluationError) in
      let count = try count(&locals)
      return { $0.dropFirst(count).receive(subscriber: $1) }
    }
  }

  func drop(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    if let start = try publisher(arguments.labelled("untilOutputFrom"), in: scope) {
      return call.stage(publishes: call.kinds, below: [start]) {
        [start = start.source, number = call.number] (upstream, locals, context)
          throws(EvaluationError) in
        upstream.drop(untilOutputFrom: try start(&locals, number.below(context)))
          .eraseToAnyPublisher()
      }
      .subscribingAtOnce
    }
    if let count = arguments.unlabelled.first, case .literal(.int) = count.kind {
      throw Diagnostic(
        "drop takes a closure",
        at: count.range,
        suggestion: "dropFirst(\(text(count.range)))"
      )
    }
    let test = try predicate(arguments.function("while"), of: call, in: scope)
    return call.stage(publishes: call.kinds) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let (outer, leave) = (locals.captured, number.leavingOut(in: context))
      return Stage(upstream: upstream, work: context.work, leave: leave) {
        var isDropping = true
        return { (input, work) throws(PipelineFailure) in
          if isDropping { isDropping = try test.truth(outer, input, work) }
          return isDropping ? .leaveOut : .pass
        }
      }.eraseToAnyPublisher()
    }
  }

  func removeDuplicates(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let isLike = try comparison(call, by: .equal, in: scope) { (a, b) throws(EvaluationError) in
      a == b
    }
    return call.stage(publishes: call.kinds) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let (outer, memoryBudget) = (locals.captured, context.memoryBudget)
      let leave = number.leavingOut(in: context)
      return Stage(upstream: upstream, work: context.work, leave: leave) {
        // What of the last value is compared.
        var last: Value?
        let held = HeldValues(of: "removeDuplicates", in: memoryBudget)
        return { (input, work) throws(PipelineFailure) in
          let now: Incoming =
            if let key = isLike.key { .value(try key.value(outer, input, work)) } else { input }
          if let last {
            if try isLike.compared(outer, .value(last), now, work) { return .leaveOut }
          } else {
            try isLike.check(outer, input, work)
          }
          let value = now.value
          try held.replace(with: value)
          last = value
          return .pass
        }
      }.eraseToAnyPublisher()
    }
  }

  /// `output(at: 2)` and `output(in: 1...3)`.
  func output(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 0)
    if let index = arguments.labelled("at") {
      if case .infix(let sign, _, _) = index.kind, sign.hasPrefix("..") {
        throw Diagnostic(
          "output(at:) takes one index",
          at: call.list[0].range,
          suggestion: "in: \(text(index.range))"
        )
      }
      let index = try integer(index, atLeast: 0, in: scope)
      return passing(call) { (locals, _) throws(EvaluationError) in
        let index = try index(&locals)
        return { $0.output(at: index).receive(subscriber: $1) }
      }
    }
    guard let range = arguments.labelled("in") else {
      throw arguments.missing("\"at:\" or \"in:\"")
    }
    guard case .infix(let sign, let low, let high) = range.kind, sign == "..." || sign == "..<"
    else { throw Diagnostic("expected a range such as 1...3", at: range.range) }
    let first = try integer(low, atLeast: 0, in: scope)
    let last = try integer(high, atLeast: 0, in: scope)
    let bounds = { (locals: inout Locals) throws(EvaluationError) -> Range<Int> in
      let (start, end) = (try first(&locals), try last(&locals))
      let past = sign == "..." && end < .max ? end + 1 : end
      guard start <= past else { throw .fault("the lower bound is above the upper bound") }
      return start..<past
    }
    try check(bounds, of: [low, high], at: range.range, in: scope)
    return passing(call) { (locals, _) throws(EvaluationError) in
      let range = try bounds(&locals)
      return { $0.output(in: range).receive(subscriber: $1) }
    }
  }

  func ignoreOutput(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    _ = try call.arguments(unlabelled: 0)
    return call.stage(publishes: []) { (upstream, _, _) throws(EvaluationError) in
      upstream.ignoreOutput().map { (never: Never) -> Value in }.eraseToAnyPublisher()
    }
  }
}

extension Syntax {
  /// Whether this is a closure or key path.
  var isFunction: Bool {
    switch kind {
    case .closure, .keyPath: true
    default: false
    }
  }
}
