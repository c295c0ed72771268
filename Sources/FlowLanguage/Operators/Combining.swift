import FlowCore

extension OperatorTable {
  static let combining: [OperatorEntry] = [
    stage(
      "merge(with: publisher, …)",
      "Publishes the values of all publishers as they arrive.",
      demand: StageDemand(
        asks: "1 at a time from each publisher; unlimited once that is requested",
        holds: .each("{publishers}"),
        full: "requests nothing from the publisher whose value waits",
        ends: "after the last publisher; at once with a failure"
      ),
      "orders.merge(with: returns)",
      MarbleExample(
        "taps.merge(with: keys)",
        ["taps": "1-2-|", "keys": "-a---b|"],
        gives: "1a2--b|"
      ),
      price: StagePrice(432, publisher: 96),
      compile: Compiler.merge
    ),
    stage(
      "zip(publisher, …) { a, b in … }",
      "Publishes the first values of all, then the second ones …, as arrays or through the closure.",
      demand: StageDemand(
        asks: .same("the same, from each publisher"),
        holds: .asked,
        full: "cannot exceed what was requested; fails when 65536 wait for a partner",
        ends: "when a publisher has ended and its values are used up",
        makesValues: true
      ),
      "orders.zip(returns) { $0.price - $1.price }",
      MarbleExample(
        "taps.zip(keys) { \"\\($0)\\($1)\" }",
        ["taps": "1-2-3-|", "keys": "---a-b---"],
        gives: "---'1a'-'2b'"
      ),
      traits: [.isCostly],
      price: StagePrice(1344, publisher: 496),
      compile: Compiler.zip
    ),
    stage(
      "combineLatest(publisher, …) { a, b in … }",
      "Publishes the newest values of all whenever one is new, as arrays or through the closure.",
      demand: StageDemand(
        asks: .same("the same, from each publisher"),
        holds: .each("{publishers}"),
        full: "keeps the newest of each, and drops the value it replaces",
        ends: "after the last publisher and the newest values; at once with a failure",
        makesValues: true
      ),
      "orders.combineLatest(returns) { [$0, $1] }",
      MarbleExample(
        "taps.combineLatest(keys) { \"\\($0)\\($1)\" }",
        ["taps": "1-2-----|", "keys": "-a---b-|"],
        gives: "-'1a''2a'--'2b'--|"
      ),
      traits: [.isCostly],
      price: StagePrice(1248, publisher: 608),
      compile: Compiler.combineLatest
    ),
    stage(
      "withLatest(from: publisher) { a, b in … }",
      "Publishes each value with the other's newest one, as arrays or through the closure.",
      demand: StageDemand(
        asks: .same(
          "the same, and 1 more for each value before the other's first; unlimited from the other"
        ),
        holds: .values("1"),
        full: "keeps the other's newest",
        makesValues: true
      ),
      "taps.withLatest(from: orders)",
      MarbleExample(
        "taps.withLatest(from: keys) { \"\\($0)\\($1)\" }",
        ["taps": "1-2-3-4-|", "keys": "-a---b---"],
        gives: "--'2a'-'3a'-'4b'-|"
      ),
      traits: [.isCostly],
      price: 1136,
      compile: Compiler.withLatest
    ),
  ]
}

extension Compiler {
  func merge(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    guard let first = call.list.first, first.label == "with" else {
      throw try call.arguments(unlabelled: 0).missing("\"with:\"")
    }
    var others: [Compiled] = []
    var kinds = call.kinds
    for argument in call.list {
      guard argument.label == nil || argument.range == first.range else {
        throw Diagnostic("merge takes the label \"with:\" only once", at: argument.range)
      }
      let other = try publisher(argument.value, in: scope) as Compiled
      others.append(other)
      kinds.formUnion(other.kinds)
    }
    let readsAnew = call.readsAnew || others.contains(where: \.readsAnew)
    return call.stage(publishes: kinds, below: others) {
      [others = others.map(\.source), number = call.number] (upstream, locals, context)
        throws(EvaluationError) in
      let counter = number.counter(in: context)
      let below = number.below(context)
      var merged = [upstream]
      for other in others {
        merged.append(counter.countingBelow(try other(&locals, below)))
      }
      return MergedPublisher(
        publishers: merged,
        memoryBudget: context.memoryBudget,
        counter: counter,
        readsAnew: readsAnew
      )
      .eraseToAnyPublisher()
    }
    .countingItself.subscribingAtOnce.cancellingItself
  }

  func zip(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (branches, make, kinds) = try join(call, in: scope)
    return call.stage(publishes: kinds, below: branches) {
      [others = branches.map { Self.paced($0.source) }, stage = call.text, number = call.number]
      (upstream, locals, context) throws(EvaluationError) in
      let counter = number.counter(in: context)
      let below = number.below(context)
      var streams = [upstream]
      for other in others {
        streams.append(counter.countingBelow(try other(&locals, below)))
      }
      return make(
        Self.zipped(streams, stage, context.memoryBudget, counter),
        locals.captured,
        number.leavingOut(in: context)
      )
    }
    .subscribingAtOnce
  }

  func combineLatest(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (branches, make, kinds) = try join(call, in: scope)
    return call.stage(publishes: kinds, below: branches) {
      [others = branches.map { Self.paced($0.source) }, number = call.number]
      (upstream, locals, context) throws(EvaluationError) in
      let counter = number.counter(in: context)
      let below = number.below(context)
      var streams = [upstream]
      for other in others {
        streams.append(counter.countingBelow(try other(&locals, below)))
      }
      let held = streams.map { _ in HeldValues(of: "combineLatest", in: context.memoryBudget) }
      let kept = Swift.zip(streams, held).map { $0.kept(.newest, by: $1) }
      let dropped = number.dropping(in: context)
      return make(
        // One that has ended leaves its newest value.
        kept.combineLatest { _ in dropped(1, .replaced) }.map { values in
          withExtendedLifetime(held) { Value.array(JSONArray(values)) }
        }
        .eraseToAnyPublisher(),
        locals.captured,
        number.leavingOut(in: context)
      )
    }
    .subscribingAtOnce
  }

  /// What the closure of a combining stage, if it has one, makes of arrays with a value of each; told of
  /// those that it leaves out.
  typealias JoinTransform = (Stream, Locals.Captured, @escaping (LeftOut) -> Void) -> Stream

  /// What `zip` and `combineLatest` are given: up to three other publishers, and maybe a closure.
  private func join(
    _ call: StageCall,
    in scope: Scope
  ) throws(Diagnostic) -> (branches: [Compiled], make: JoinTransform, kinds: Kinds) {
    let arguments = try call.arguments(unlabelled: 5)
    let publishers = arguments.unlabelled.filter { !$0.isFunction }
    guard (1...3).contains(publishers.count) else {
      throw arguments.missing("one, two or three publishers")
    }
    var branches: [Compiled] = []
    for other in publishers { branches.append(try publisher(other, in: scope)) }
    let given = [call.kinds] + branches.map(\.kinds)
    let (make, kinds) = try transform(arguments, of: call, given, in: scope)
    return (branches, make, kinds)
  }

  func withLatest(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    let branch = try publisher(arguments.required("from"), in: scope) as Compiled
    let other = Self.paced(branch.source)
    let (make, kinds) = try transform(arguments, of: call, [call.kinds, branch.kinds], in: scope)
    return call.stage(publishes: kinds, below: [branch]) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let held = HeldValues(of: "withLatest", in: context.memoryBudget)
      let below = number.below(context)
      let counted = number.counter(in: context).countingBelow(try other(&locals, below))
      let pairs = upstream.withLatest(from: counted.kept(.newest, by: held)).map { pair in
        withExtendedLifetime(held) { Value.array(JSONArray([pair.0, pair.1])) }
      }
      return make(pairs.eraseToAnyPublisher(), locals.captured, number.leavingOut(in: context))
    }
    .subscribingAtOnce
  }

  /// Makes the transform of a combining stage, and says what it publishes.
  func transform(
    _ arguments: Arguments,
    of call: StageCall,
    _ given: [Kinds],
    in scope: Scope
  ) throws(Diagnostic) -> (make: JoinTransform, kinds: Kinds) {
    guard let closure = arguments.unlabelled.last, closure.isFunction else {
      return ({ stream, _, _ in stream }, .array(of: given.count))
    }
    let body = Function(try function(closure, of: given, in: scope), of: call)
    let make: JoinTransform = { stream, outer, leave in
      Stage(upstream: stream, leave: leave) {
        { (input, _) throws(PipelineFailure) in
          guard case .array(let values) = input.value else { return .leaveOut }
          return .publish(try body.value(outer, values.elements))
        }
      }.eraseToAnyPublisher()
    }
    return (make, body.kinds)
  }

  /// Arrays of the first values, the second ones …; fails when too many wait for another's.
  private static func zipped(
    _ streams: [Stream],
    _ stage: String,
    _ memoryBudget: MemoryBudget,
    _ counter: StageCounter?
  ) -> Stream {
    Deferred {
      var counts = Array(repeating: 0, count: streams.count)
      let held = HeldValues(of: "zip", in: memoryBudget, counter: counter)
      let counted = streams.enumerated().map { index, stream in
        Stage(upstream: stream) {
          { (input, _) throws(PipelineFailure) in
            counts[index] += 1
            guard counts[index] - (counts.min() ?? 0) <= mostHeld else {
              throw PipelineFailure(.fault("more than \(mostHeld) values wait"), stage: stage)
            }
            try held.enter(input.value)
            return .pass
          }
        }
      }
      return counted.zip().map { values in
        for value in values { held.leave(value) }
        return Value.array(JSONArray(values))
      }
    }
    .eraseToAnyPublisher()
  }
}
