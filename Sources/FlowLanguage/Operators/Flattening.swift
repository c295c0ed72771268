package import FlowCore

extension OperatorTable {
  static let flattening: [OperatorEntry] = [
    stage(
      "flatMap(maxPublishers: .unlimited) { value in … }",
      "Makes a publisher of each value and publishes their values.",
      demand: StageDemand(
        asks: "{maxPublishers}, then 1 for each publisher that finishes",
        holds: .each("{maxPublishers}"),
        full: "requests nothing and opens no new publisher",
        ends: "after the last publisher; at once with a failure",
        makesValues: true
      ),
      "taps.flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3) }",
      MarbleExample(
        "taps.flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 2) }",
        ["taps": "-123-4-|"],
        gives: "---12--[4|]"
      ),
      traits: [.passesAll, .flattens, .opensMany, .seesName, .closureMakesPublisher],
      rate: .publishers,
      price: StagePrice(528, branches: .asOpened),
      compile: Compiler.flatMap
    ),
    stage(
      "concatMap { value in … }",
      "Like flatMap, one publisher after the other.",
      demand: StageDemand(
        asks: "1, then 1 for each publisher that finishes",
        holds: .each("1"),
        full: "requests nothing and opens no new publisher",
        ends: "after the last publisher; at once with a failure",
        makesValues: true
      ),
      "taps.concatMap { Just($0).delay(for: 1) }",
      MarbleExample("[3, 1].publisher.concatMap { Just($0).delay(for: $0) }", gives: "---3[1|]"),
      traits: [.flattens, .seesName, .closureMakesPublisher],
      rate: .publishers,
      price: StagePrice(528, branches: .asOpened),
      compile: Compiler.concatMap
    ),
    stage(
      "flatMapLatest { value in … }",
      "Like flatMap, but each new publisher cancels the one before.",
      demand: latest,
      "taps.flatMapLatest { Just($0).delay(for: 1) }",
      MarbleExample(
        "taps.flatMapLatest { Just($0).delay(for: 2) }",
        ["taps": "-12---3|"],
        gives: "----2---[3|]"
      ),
      traits: [.isCostly, .seesName, .closureMakesPublisher],
      price: 640,
      compile: Compiler.flatMapLatest
    ),
    stage(
      "exhaustMap { value in … }",
      "Like flatMap, but values that come while a publisher is at work are dropped.",
      demand: latest,
      "taps.exhaustMap { Just($0).delay(for: 1) }",
      MarbleExample(
        "taps.exhaustMap { Just($0).delay(for: 2) }",
        ["taps": "-12---3|"],
        gives: "---1----[3|]"
      ),
      traits: [.isCostly, .seesName, .closureMakesPublisher],
      price: 720,
      compile: Compiler.exhaustMap
    ),
    tail(
      "switchToLatest()",
      "After a map whose closure ends in a publisher: the two are flatMapLatest.",
      demand: latest,
      "taps.map { Just($0).delay(for: 1) }.switchToLatest()",
      MarbleExample(
        "taps.map { Just($0).delay(for: 2) }.switchToLatest()",
        ["taps": "-12---3|"],
        gives: "----2---[3|]"
      ),
      price: 384,
      compile: Compiler.switchToLatest
    ),
  ]

  private static let latest = StageDemand(
    asks: .unlimited("unlimited; from each publisher the remaining demand"),
    ends: "after the latest publisher; at once with a failure",
    makesValues: true
  )
}

extension Compiler {
  func flatMap(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    let most = try demand(arguments.labelled("maxPublishers"), in: scope)
    let bound = InnerBound(stage: call.text, hint: "; set maxPublishers:")
    return try flattened(call, arguments.function(), most, bound, in: scope)
  }

  func concatMap(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let closure = try call.arguments(unlabelled: 1).function()
    return try flattened(call, closure, { (_) throws(EvaluationError) in .max(1) }, nil, in: scope)
  }

  /// The publishers that `closure` makes, `most` at a time.
  private func flattened(
    _ call: StageCall,
    _ closure: Syntax,
    _ most: @escaping (inout Locals) throws(EvaluationError) -> Subscribers.Demand,
    _ bound: InnerBound?,
    in scope: Scope
  ) throws(Diagnostic) -> CompiledStage {
    let (make, made) = try publishers(closure, of: call, in: scope)
    let cost = costOfChild(made)
    guard closure.isJustOfItsValue else {
      return call.stage(publishes: made.kinds, below: [made]) {
        [number = call.number] (upstream, locals, context) throws(EvaluationError) in
        let (outer, below, most) = (locals.captured, number.below(context), try most(&locals))
        let leave = number.leavingOut(in: context)
        return upstream.flatMap(maxPublishers: most) { value -> Stream in
          make(outer, below, leave, value) ?? .nothing
        }
        .bounded(by: context, bound, cost: cost).eraseToAnyPublisher()
      }
    }
    // It publishes just what comes, so payloads go past it.
    return call.stage(publishes: made.kinds, below: [made]) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let (outer, most) = (locals.captured, try most(&locals))
      let (counter, inside) = (number.counter(in: context), context.memoryBudget)
      let leave = number.leavingOut(in: context)
      return Bypass(upstream: upstream, inside: .publishers(inside), counter: counter) {
        (entrance, exit) in
        entrance.flatMap(maxPublishers: most) { value -> Stream in
          make(outer, context, leave, value) ?? .nothing
        }
        .bounded(by: context, bound, cost: cost).receive(subscriber: exit)
      }
      .eraseToAnyPublisher()
    }
    .countingItself
  }

  /// `flatMapLatest`, and `map` with `switchToLatest` behind it.
  func flatMapLatest(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let closure = try call.arguments(unlabelled: 1).function()
    let (make, made) = try publishers(closure, of: call, decidesAtOnce: true, in: scope)
    return call.stage(publishes: made.kinds, below: [made]) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let (outer, below) = (locals.captured, number.below(context))
      let leave = number.leavingOut(in: context)
      // Before the new publisher takes the place of the old one: what is left out changes nothing.
      let made = upstream.compactMap { (value) -> Stream? in make(outer, below, leave, value) }
      return made.flatMapLatest { (stream) -> Stream in stream }.eraseToAnyPublisher()
    }
  }

  func exhaustMap(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (make, made) = try publishers(call.arguments(unlabelled: 1).function(), of: call, in: scope)
    return call.stage(publishes: made.kinds, below: [made]) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let (outer, below) = (locals.captured, number.below(context))
      let leave = number.leavingOut(in: context)
      let counter = number.counter(in: context)
      let drop = number.dropping(in: context, for: .busy) { _ in
        counter?.drop(1)
        context.dropped(1, .busy)
      }
      return upstream.exhaustMap(onDrop: drop) { value -> Stream in
        make(outer, below, leave, value) ?? .nothing
      }
      .eraseToAnyPublisher()
    }
  }

  /// Makes the publisher of a value; nil if that is left out, of which the host is told.
  private typealias ChildMaker = (
    Locals.Captured, any PipelineContext, _ leave: @escaping (LeftOut) -> Void, Value
  ) -> Stream?

  /// What a closure makes of a value: a publisher, which fails where the closure says `fail`.
  ///
  /// Where a turn has lasted long enough the closure runs in a later one, unless the stage
  /// `decidesAtOnce` which values it leaves out.
  private func publishers(
    _ syntax: Syntax,
    of call: StageCall,
    decidesAtOnce: Bool = false,
    in scope: Scope
  ) throws(Diagnostic) -> (make: ChildMaker, made: Compiled) {
    let made = try publisherFunction(syntax, of: [call.kinds], in: scope)
    let body = made.source
    let (stage, name, leavesOut) = (call.text, call.entry.name, call.leavesOut)
    let steps = Price.opening(made.price)
    let make: ChildMaker = { outer, below, leave, value in
      if steps > 0 { below.work.charge(steps) }
      var locals = Locals(outer, value)
      let stream: Stream
      do throws(EvaluationError) {
        defer { outer.charge(locals) }
        stream = try body(&locals, below)
      } catch {
        let failure = PipelineFailure(error, stage: stage, value: value, leavesOut: leavesOut)
        guard let leftOut = failure.leftOut(value) else { return .failing(failure) }
        leave(leftOut)
        return nil
      }
      // The publisher may keep the value; a small one is in the cost of the publisher.
      guard value.footprint > Self.smallValue, stream._atMost > 1 else { return stream }
      let held = HeldValues(of: name, in: below.memoryBudget)
      do throws(PipelineFailure) {
        try held.enter(value)
        return stream.keeping(held)
      } catch {
        return .failing(error)
      }
    }
    let paced: ChildMaker = { outer, below, leave, value in
      if let failure = below.memoryBudget.refusalOfInner { return .failing(failure) }
      guard below.work.hasToWait else { return make(outer, below, leave, value) }
      if decidesAtOnce {
        return make(outer, below, leave, value).map {
          PacedSubscribing(upstream: $0, wait: below.work.wait).eraseToAnyPublisher()
        }
      }
      let later = Deferred { [name = below.work.nameOfSource] in
        below.work.naming(name) { () -> Stream in make(outer, below, leave, value) ?? .nothing }
      }
      return PacedSubscribing(upstream: later, wait: below.work.wait).eraseToAnyPublisher()
    }
    return (paced, made)
  }

  /// A value that is no larger is counted with the publisher that is made of it.
  private static let smallValue = 256

  /// About what a publisher that a closure makes takes in memory, with what its stage keeps of it.
  func costOfChild(_ made: Compiled) -> Int { 320 + made.price }

  /// `.max(n)`, `.unlimited`, or a bare number from 1 on.
  private func demand(
    _ syntax: Syntax?,
    in scope: Scope
  ) throws(Diagnostic) -> (inout Locals) throws(EvaluationError) -> Subscribers.Demand {
    guard var number = syntax else { return { (_) throws(EvaluationError) in .unlimited } }
    if let name = number.lastName {
      guard name.text == "unlimited" else {
        throw unknownDemand(".\(name.text)", at: name.range)
      }
      return { (_) throws(EvaluationError) in .unlimited }
    }
    if case .call(let callee, let arguments) = number.kind, let name = callee.lastName {
      guard name.text == "max", arguments.count == 1, arguments[0].label == nil else {
        throw unknownDemand(".\(name.text)", at: name.range)
      }
      number = arguments[0].value
    }
    let count = try integer(number, atLeast: 1, in: scope)
    return { (locals) throws(EvaluationError) in .max(try count(&locals)) }
  }

  private func unknownDemand(_ text: String, at range: Range<Int>) -> Diagnostic {
    let names = [".unlimited", ".max(1)"]
    let instead = "expected .unlimited or .max(1)"
    return .unknown("demand", text, at: range, among: names, instead: instead)
  }
}

/// How a stage fails rather than hold more publishers than the host allows: one text for all its
/// subscriptions.
final class InnerBound {
  private let stage: String
  private let hint: String
  private var last: (ceiling: Int, failure: PipelineFailure)?

  init(stage: String, hint: String = "") {
    self.stage = stage
    self.hint = hint
  }

  func failure(above ceiling: Int) -> PipelineFailure {
    if let last, last.ceiling == ceiling { return last.failure }
    let failure = PipelineFailure(
      .fault("the limit of \(ceiling) open inner publishers is reached\(hint)"),
      stage: stage
    )
    last = (ceiling, failure)
    return failure
  }
}

extension Publishers.FlatMap where Output == Value, Failure == PipelineFailure {
  /// Counts its publishers, each of which takes `cost`, and fails rather than hold more than the
  /// host allows, if there is a `bound`.
  func bounded(by context: any PipelineContext, _ bound: InnerBound?, cost: Int) -> Self {
    let counted = counting(in: context.memoryBudget, cost: cost)
    guard let bound else { return counted }
    let ceiling = context.innerPublisherLimit
    return counted.failing(with: bound.failure(above: ceiling), above: ceiling)
  }
}

extension AnyPublisher where Output == Value, Failure == PipelineFailure {
  /// Fails at once.
  package static func failing(_ failure: PipelineFailure) -> Self {
    Fail(error: failure).eraseToAnyPublisher()
  }

  /// Finishes at once.
  static var nothing: Self { Empty().eraseToAnyPublisher() }
}

extension Compiler {
  /// `map { … }.switchToLatest()` is one stage, since publishers are no values.
  func switchToLatest(_ tail: Tail, in scope: Scope) throws(Diagnostic) -> Compiled {
    _ = try Arguments(tail.list, of: tail.entry, at: tail.name.range, unlabelled: 0)
    guard case .call(let callee, let arguments) = tail.base.kind,
      case .member(let source, let map) = callee.kind, OperatorTable.entry(map.text)?.name == "map"
    else {
      throw Diagnostic(
        "switchToLatest must directly follow a map whose closure ends in a publisher",
        at: tail.name.range
      )
    }
    let upstream = try recovering(from: source) { () throws(Diagnostic) in
      try guarded(source, in: scope)
    }
    try size.add(stages: 1, at: tail.name.range)
    let place = map.range.lowerBound..<tail.range.upperBound
    let call = StageCall(
      upstream: upstream.source,
      kinds: upstream.kinds,
      entry: tail.entry,
      name: map,
      list: arguments,
      text: text(place),
      place: upstream.stages.count
    )
    let stage = try flatMapLatest(call, in: scope)
    return compiled(stage, of: tail.entry, arguments, at: place, behind: upstream, in: scope)
  }
}
