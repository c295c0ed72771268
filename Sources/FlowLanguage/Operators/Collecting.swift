import FlowCore

extension OperatorTable {
  static let collecting: [OperatorEntry] = [
    stage(
      "collect(), collect(count), collect(.byTime(DispatchQueue.main, time)) or "
        + "collect(.byTimeOrCount(DispatchQueue.main, time, count))",
      "Collects values into arrays: all of them, a number, or those of an interval.",
      demands: [
        StageDemand(
          with: ".byTimeOrCount",
          asks: "{count} for each array requested, less the values collected or still to come",
          holds: .values("65536"),
          full: "requests nothing until an array has gone out",
          ends: "after what it holds",
          makesValues: true
        ),
        StageDemand(
          with: ".byTime",
          asks: .oneByOne("1 at a time while an array is requested"),
          holds: .values("65536"),
          full: "requests nothing until its array has gone out",
          ends: "after what it holds",
          makesValues: true
        ),
        StageDemand(
          with: "count",
          asks: "{count} for each array requested",
          holds: .values("{count}"),
          full: "publishes it",
          ends: "after what it holds",
          makesValues: true
        ),
        StageDemand(
          asks: .unlimited("unlimited"),
          holds: .values("65536"),
          full: "fails",
          ends: "after its array",
          makesValues: true
        ),
      ],
      "orders.collect(.byTime(DispatchQueue.main, .seconds(1)))",
      MarbleExample("taps.collect(2)", ["taps": "1-2-3-|"], gives: "--'[1,2]'---['[3]'|]"),
      delay: .varying,
      price: 528,
      compile: Compiler.collect
    )
  ]
}

extension Compiler {
  /// The most values that a stage collects or lets wait.
  static let mostHeld = 65_536

  func collect(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    guard let how = arguments.unlabelled.first else {
      let (stage, number) = (call.text, call.number)
      return call.stage(publishes: .array) { (upstream, _, context) throws(EvaluationError) in
        Self.collectAll(upstream, stage, context, number.counter(in: context))
      }
    }
    if case .call(let callee, let list) = how.kind, let name = callee.lastName {
      return try collectByTime(call, by: name, list, at: how.range, in: scope)
    }
    let count = try integer(how, atLeast: 1, atMost: Self.mostHeld, in: scope)
    return call.stage(publishes: .array) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let counter = number.counter(in: context)
      let held = HeldValues(of: "collect", in: context.memoryBudget, counter: counter)
      let kept = upstream.kept(.all, by: held, pacedBy: context.work)
      return kept.collect(try count(&locals)).map { array in
        Self.joined(array, from: held, context.work)
      }
      .eraseToAnyPublisher()
    }
  }

  /// `.byTime(scheduler, time)` and `.byTimeOrCount(scheduler, time, count)`.
  private func collectByTime(
    _ call: StageCall,
    by name: Identifier,
    _ list: [Argument],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> CompiledStage {
    let names = ["byTime", "byTimeOrCount"]
    guard let numbers = names.firstIndex(of: name.text).map({ $0 + 1 }) else {
      throw .unknown(
        "way to collect",
        ".\(name.text)",
        at: name.range,
        among: names.map { ".\($0)" },
        instead: "expected .byTime or .byTimeOrCount"
      )
    }
    let rest = list.first.map { isQueue($0.value) } ?? false ? list.dropFirst() : list[...]
    guard rest.count == numbers, list.allSatisfy({ $0.label == nil }) else {
      let wanted =
        numbers == 1 ? "DispatchQueue.main and a time" : "DispatchQueue.main, a time and a count"
      throw Diagnostic("\(name.text) takes \(wanted)", at: range)
    }
    let time = try time(rest[rest.startIndex].value, atLeast: Ticks.shortest, in: scope)
    let count =
      try numbers == 2
      ? integer(rest[rest.startIndex + 1].value, atLeast: 1, atMost: Self.mostHeld, in: scope) : nil
    return call.stage(publishes: .array) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let time = VirtualTimeScheduler.SchedulerTimeType.Stride.nanoseconds(try time(&locals))
      let (clock, work, count) = (context.clock, context.work, try count?(&locals))
      let counter = number.counter(in: context)
      let held = HeldValues(of: "collect", in: context.memoryBudget, counter: counter)
      let kept = upstream.kept(.all, by: held, pacedBy: work)
      return kept.collect(
        count.map { .byTimeOrCount(clock, time, $0) } ?? .byTime(clock, time),
        holdingAtMost: Self.mostHeld
      )
      .map { array in Self.joined(array, from: held, work) }.eraseToAnyPublisher()
    }
  }

  /// The array that a stage has collected, and holds no more.
  private static func joined(_ values: [Value], from held: HeldValues, _ work: Work) -> Value {
    for value in values { held.leave(value) }
    work.charge(Price.collecting(values.count))
    return .array(JSONArray(values))
  }

  /// Publishes all values of `upstream` as one array; fails when there are too many.
  private static func collectAll(
    _ upstream: Stream,
    _ stage: String,
    _ context: any PipelineContext,
    _ counter: StageCounter?
  ) -> Stream {
    Deferred { [memoryBudget = context.memoryBudget, work = context.work] in
      let values = HeldValues(of: "collect", in: memoryBudget, counter: counter)
      let counted = Stage(upstream: upstream, work: work) {
        { (input, _) throws(PipelineFailure) in
          guard values.count < mostHeld else {
            throw PipelineFailure(.fault("more than \(mostHeld) values wait"), stage: stage)
          }
          try values.enter(input.value)
          return .pass
        }
      }
      return counted.collect().map { array in joined(array, from: values, work) }
    }
    .eraseToAnyPublisher()
  }
}
