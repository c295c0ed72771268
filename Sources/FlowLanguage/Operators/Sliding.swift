import FlowCore
import Spelling

extension OperatorTable {
  /// What `window` with `every:` does with demand.
  static let slidingWindows: [StageDemand] = [
    StageDemand(
      with: "every: time",
      asks: .oneByOne("1 at a time"),
      holds: .values("65536"),
      full: "requests nothing until the oldest are too old",
      ends: "after a last window with what has come since the one before",
      makesValues: true
    ),
    StageDemand(
      with: "every, with a closure",
      asks: .oneByOne("1, then 1 for each value without a window and each publisher that finishes"),
      holds: .values("{count}"),
      full: "passes them to the closure, and drops the oldest",
      ends: "after the last publisher; at once with a failure",
      makesValues: true
    ),
    StageDemand(
      with: "every",
      asks: .same("the same, and 1 more for each value without a window"),
      holds: .values("{count}"),
      full: "publishes them, and drops the oldest",
      makesValues: true
    ),
  ]

  /// What the forms of `window` with `every:` do.
  static let slidingMarbles = [
    MarbleExample(
      "taps.window(3, every: 2)",
      ["taps": "12-34-567|"],
      gives: "---'[1,2,3]'--'[3,4,5]'-'[5,6,7]'|"
    ),
    MarbleExample(
      "taps.window(2, every: 3)",
      ["taps": "12-34-567|"],
      gives: "-'[1,2]'----'[4,5]'--|"
    ),
    MarbleExample(
      "taps.window(3, every: 1) { $0.sum() }",
      ["taps": "12-34-5-|"],
      gives: "---69-'12'-|"
    ),
    MarbleExample(
      "taps.window(.seconds(5), every: .seconds(3))",
      ["taps": "--1-2--4|"],
      gives: "---'[1]'--'[1,2]'-['[2,4]'|]"
    ),
    MarbleExample(
      "taps.window(.seconds(5), every: .seconds(3)) { $0.sum() }",
      ["taps": "--1-2--4|"],
      gives: "---1--3-[6|]"
    ),
  ]
}

extension Compiler {
  /// `window(10, every: 1)` and `window(.seconds(10), every: .seconds(1))`, each with a closure or
  /// without.
  func slidingWindow(
    _ call: StageCall,
    _ arguments: Arguments,
    every: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> CompiledStage {
    let size = try arguments.first("a count or a time")
    for syntax in [size, every] { try checkNoFraction(syntax) }
    let windows: SlidingWindows
    switch (size.isTime, every.isTime) {
    case (true, true): windows = try timedWindows(call, size, every, in: scope)
    case (false, false): windows = try countedWindows(call, size, every, in: scope)
    default:
      let message = "the two must be counts or times: window(10, every: 1) or "
      throw Diagnostic("\(message)window(.seconds(10), every: .seconds(1))", at: every.range)
    }
    guard arguments.unlabelled.count == 2 else {
      return call.stage(publishes: .array) { (upstream, locals, context) throws(EvaluationError) in
        try windows(upstream, &locals, context)
      }
    }
    return try flattened(windows, arguments, of: call, in: scope)
  }

  /// Where a count or a time may stand, says how a time is written to who has written a fraction.
  func checkNoFraction(_ syntax: Syntax) throws(Diagnostic) {
    guard case .literal(let value) = syntax.kind, case .double = value.decoded else { return }
    throw Diagnostic(
      "expected a count, which is an integer, or a time",
      at: syntax.range,
      suggestion: ".seconds(\(text(syntax.range)))"
    )
  }

  /// Makes arrays of what is in each window.
  private typealias SlidingWindows =
    (Stream, inout Locals, any PipelineContext) throws(EvaluationError) -> Stream

  private func countedWindows(
    _ call: StageCall,
    _ size: Syntax,
    _ every: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> SlidingWindows {
    let size = try integer(size, atLeast: 1, atMost: Self.mostHeld, in: scope)
    let every = try integer(every, atLeast: 1, in: scope)
    return { [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let (size, every) = (try size(&locals), try every(&locals))
      let (counter, memoryBudget) = (number.counter(in: context), context.memoryBudget)
      let (held, work) = (
        HeldValues(of: "window", in: memoryBudget, counter: counter), context.work
      )
      let step = min(every, size)
      return Self.withoutGaps(upstream, size, every, held, work).window(size, every: step)
        .map { values in
          for value in values.prefix(step) { held.leave(value) }
          work.charge(Price.collecting(values.count))
          return .array(JSONArray(values))
        }
        .eraseToAnyPublisher()
    }
  }

  /// The values that are in some window, which `held` is charged with.
  private static func withoutGaps(
    _ upstream: Stream,
    _ size: Int,
    _ every: Int,
    _ held: HeldValues,
    _ work: Work
  ) -> Stream {
    Stage(upstream: upstream, work: work) {
      // Whoever subscribes anew holds nothing of what was before.
      held.clear()
      var place = 0
      return { (input, _) throws(PipelineFailure) in
        defer { place = place + 1 < every ? place + 1 : 0 }
        guard place < size || every <= size else { return .leaveOut }
        try held.enter(input.value)
        return .pass
      }
    }
    .eraseToAnyPublisher()
  }

  private func timedWindows(
    _ call: StageCall,
    _ size: Syntax,
    _ every: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> SlidingWindows {
    let size = try time(size, atLeast: Ticks.shortest, in: scope)
    let every = try time(every, atLeast: Ticks.shortest, in: scope)
    return { [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      TimedSlidingWindows(
        upstream: upstream,
        length: try size(&locals),
        interval: try every(&locals),
        context: context,
        counter: number.counter(in: context),
        dropped: number.dropping(in: context)
      )
      .eraseToAnyPublisher()
    }
  }

  /// What the closure makes of one window after the other; its parameter is a publisher.
  private func flattened(
    _ windows: @escaping SlidingWindows,
    _ arguments: Arguments,
    of call: StageCall,
    in scope: Scope
  ) throws(Diagnostic) -> CompiledStage {
    let syntax = try arguments.function()
    guard case .closure(let closure) = syntax.kind else {
      let message = "expected a closure that ends in a publisher"
      throw Diagnostic("\(message): \(call.entry.signature)", at: syntax.range)
    }
    let names = closure.parameters ?? ["$0"]
    guard names.count == 1 else {
      let message = "the closure takes a publisher, not \(names.count) parameters"
      throw Diagnostic(message, at: syntax.range)
    }
    let hidden = "\(names[0].excerpt()) of \(call.text.excerpt())"
    let inner = scope.adding(names[0], as: .part(hidden, called: names[0], of: call.kinds)).below
    let made = try block(closure.body, in: inner)
    let (body, stage, cost) = (made.source, call.text, costOfChild(made))
    return call.stage(publishes: made.kinds, below: [made]) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let leave = number.leavingOut(in: context)
      let (outer, below, timeSlice) = (locals.captured, number.below(context), context.timeSlice)
      return try windows(upstream, &locals, context).flatMap(maxPublishers: .max(1)) {
        window -> Stream in
        guard case .array(let values) = window else { return Empty().eraseToAnyPublisher() }
        let isShort = values.count <= Self.fewElements
        let stream = Self.publish(values.elements, isShort: isShort, at: timeSlice)
        var locals = Locals(outer)
        defer { outer.charge(locals) }
        do throws(EvaluationError) {
          return try body(&locals, GroupContext(below, hidden, stream))
        } catch {
          let failure = PipelineFailure(error, stage: stage, leavesOut: true)
          guard let leftOut = failure.leftOut(window) else { return .failing(failure) }
          leave(leftOut)
          return .nothing
        }
      }
      .bounded(by: context, nil, cost: cost).eraseToAnyPublisher()
    }
  }
}

extension Syntax {
  /// Whether this is written as a time.
  var isTime: Bool {
    guard case .call(let callee, _) = kind else { return false }
    return callee.lastName.map { Compiler.unitsOfTime[$0.text] != nil } ?? false
  }
}
