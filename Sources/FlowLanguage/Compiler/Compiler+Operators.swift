import FlowCore

/// An operator with what stands before it and in its parentheses.
struct Call {
  var upstream: Source
  /// What that may publish, as far as is known.
  let kinds: Kinds
  let entry: OperatorEntry
  let name: Name
  let list: [Argument]
  /// The stage as written.
  let text: String
  /// Which stage of the pipeline it is.
  var number = StageNumber()

  /// A source of what `body` makes of the publisher before the stage.
  func source(
    _ body: @escaping (Stream, inout Frame, any PipelineContext) throws(Trouble) -> Stream
  ) -> Source {
    { [upstream] (frame, context) throws(Trouble) in
      try body(upstream(&frame, context), &frame, context)
    }
  }

  func arguments(unlabelled most: Int) throws(Diagnostic) -> Arguments {
    try Arguments(list, of: entry, at: name.range, unlabelled: most)
  }
}

/// Which stage of the pipeline something is, if it is not below one.
struct StageNumber {
  var index: Int?

  /// What counts it where the host counts.
  func counter(in context: any PipelineContext) -> StageCounter? {
    index.flatMap { context.counters?[$0] }
  }

  /// Tells the host that values were dropped, and counts them where it counts.
  func dropping(
    in context: any PipelineContext
  ) -> (_ count: Int, _ reason: DropReason) -> Void {
    let counter = counter(in: context)
    return { count, reason in
      counter?.drop(count)
      context.dropped(count, reason)
    }
  }
}

extension Compiler {
  mutating func operation(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    kinds = call.kinds
    if let source = try counting(call, in: scope) { return source }
    guard Self.costly.contains(call.entry.name) else { return counted(try whole(call, in: scope)) }
    var paced = call
    paced.upstream = Self.paced(call.upstream)
    return counted(try whole(paced, in: scope))
  }

  /// Operators that do much with a value and are no stage that lets values wait.
  private static let costly: Set = [
    "reduce", "contains", "allSatisfy", "replaceNil", "zip", "combineLatest", "withLatest", "group",
    "window", "flatMapLatest", "switchToLatest",
  ]

  /// The same, whose values wait where a turn has lasted long enough.
  static func paced(_ source: @escaping Source) -> Source {
    { (frame, context) throws(Trouble) in
      let stream = try source(&frame, context)
      return Stage(upstream: stream, passesAll: true, work: context.work) { { (_, _) in .pass } }
        .eraseToAnyPublisher()
    }
  }

  /// A stage that counts what it sends itself.
  private mutating func counting(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source? {
    switch call.entry.name {
    case "map": try each(call, publishes: .any, in: scope) { .publish($0) }
    case "compactMap":
      try each(call, publishes: .any.subtracting(.null), in: scope) {
        if case .null = $0.decoded { .leaveOut } else { .publish($0) }
      }
    case "filter":
      try each(call, makes: .bool, in: scope) { (result) throws(Trouble) in
        try Arithmetic.truth(result.decoded, "filter") ? .pass : .leaveOut
      }
    case "scan": try scan(call, in: scope)
    case "first": try first(call, in: scope)
    case "prefix": try prefix(call, in: scope)
    case "buffer": try buffer(call, in: scope)
    case "delay": try delay(call, in: scope)
    case "flatMap": try flatMap(call, in: scope)
    case "concatMap": try concatMap(call, in: scope)
    default: nil
    }
  }

  /// Any other stage.
  private mutating func whole(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    switch call.entry.name {
    case "first": first(call)
    case "prefix": try prefixUpTo(call, in: scope)
    case "replaceNil": try replaceNil(call, in: scope)
    case "flatMapLatest", "switchToLatest": try flatMapLatest(call, in: scope)
    case "removeDuplicates": try removeDuplicates(call, in: scope)
    case "last": try last(call, in: scope)
    case "dropFirst": try dropFirst(call, in: scope)
    case "drop": try drop(call, in: scope)
    case "output": try output(call, in: scope)
    case "reduce": try reduce(call, in: scope)
    case "collect": try collect(call, in: scope)
    case "contains": try contains(call, in: scope)
    case "allSatisfy": try allSatisfy(call, in: scope)
    case "min", "max": try extreme(call, in: scope)
    case "replaceEmpty": try replaceEmpty(call, in: scope)
    case "append", "prepend": try extend(call, in: scope)
    case "merge": try merge(call, in: scope)
    case "zip", "combineLatest": try join(call, in: scope)
    case "withLatest": try withLatest(call, in: scope)
    case "group": try group(call, in: scope)
    case "window": try window(call, in: scope)
    case "catch": try recover(call, in: scope)
    case "retry": try retry(call, in: scope)
    case "replaceError": try replaceError(call, in: scope)
    case "mapError": try mapError(call, in: scope)
    case "debounce": try debounce(call, in: scope)
    case "throttle": try throttle(call, in: scope)
    case "timeout": try timeout(call, in: scope)
    case "measureInterval": try measureInterval(call, in: scope)
    case "share": try share(call, in: scope)
    case "print": try log(call, in: scope)
    default: try plain(call)
    }
  }

  /// What takes no arguments that matter.
  private mutating func plain(_ call: Call) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 0)
    switch call.entry.name {
    case "count":
      kinds = .int
      return call.source { (upstream, _, _) throws(Trouble) in
        upstream.count().map(Value.int).eraseToAnyPublisher()
      }
    case "ignoreOutput":
      kinds = []
      return call.source { (upstream, _, _) throws(Trouble) in
        upstream.ignoreOutput().map { (never: Never) -> Value in }.eraseToAnyPublisher()
      }
    case "receive":
      try acceptQueue(arguments.required("on"))
      return call.upstream
    case "setFailureType":
      _ = try arguments.required("to")
      return call.upstream
    default: return call.upstream
    }
  }

  /// A stage that decides by what its closure makes of a value; it publishes what came in, or of
  /// what the closure makes what is of one of the kinds `published`.
  mutating func each(
    _ call: Call,
    label: String? = nil,
    makes kinds: Kinds = .any,
    publishes published: Kinds? = nil,
    in scope: Scope,
    verdict: @escaping (Value) throws(Trouble) -> Verdict
  ) throws(Diagnostic) -> Source {
    let closure = try call.arguments(unlabelled: 1).function(label)
    let body = try function(closure, of: [call.kinds], makes: kinds, in: scope)
    if let published { self.kinds = body.kinds.intersection(published) }
    let (stage, evaluation, intSteps) = (call.text, body.evaluation, body.intSteps)
    let passesAll = call.entry.name == "map" && closure.isItsValue
    let makeStep = { (outer: Frame.Captured) -> Step in
      let step: Step = { (input, work) throws(PipelineFailure) in
        var frame = Frame(outer, input)
        defer { work?.charge(frame.spent) }
        do throws(Trouble) {
          return try verdict(evaluation(&frame))
        } catch {
          throw PipelineFailure(error, stage: stage, value: input.value)
        }
      }
      guard let intSteps else { return step }
      return shortened(step, by: intSteps, stage, verdict)
    }
    let step: (inout Frame) -> Step
    if passesAll {
      step = { _ in { (_, _) in .pass } }
    } else if isOutermost(scope) {
      // One for all subscriptions, which may be thousands.
      let one = makeStep(Frame().captured)
      step = { _ in one }
    } else {
      step = { makeStep($0.captured) }
    }
    return call.source { [number = call.number] (upstream, frame, context) throws(Trouble) in
      let (step, counter) = (step(&frame), number.counter(in: context))
      let work = passesAll ? nil : context.work
      return Stage(upstream: upstream, counter: counter, passesAll: passesAll, work: work) { step }
        .eraseToAnyPublisher()
    }
  }
}

/// `step`, with a short way for values that are an Int.
private func shortened(
  _ step: @escaping Step,
  by intSteps: IntSteps,
  _ stage: String,
  _ verdict: @escaping (Value) throws(Trouble) -> Verdict
) -> Step {
  { (input, work) throws(PipelineFailure) in
    guard case .value(.int(let number)) = input, let result = intSteps.value(of: number) else {
      return try step(input, work)
    }
    do throws(Trouble) {
      return try verdict(result)
    } catch {
      throw PipelineFailure(error, stage: stage, value: input.value)
    }
  }
}
