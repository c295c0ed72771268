import FlowCore

extension Compiler {
  /// How many values a stage collects, or lets wait, before it fails.
  static let mostHeld = 65_536

  mutating func contains(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    kinds = .bool
    let arguments = try call.arguments(unlabelled: 1)
    guard !call.list.isEmpty else { throw arguments.missing("a value or a closure") }
    if arguments.labelled("where") == nil, let value = arguments.unlabelled.first, !value.isFunction
    {
      let value = try values.compile(value, in: scope)
      return call.source { (upstream, frame, _) throws(Trouble) in
        upstream.contains(try value(&frame)).map(Value.bool).eraseToAnyPublisher()
      }
    }
    let test = try predicate(arguments.function("where"), of: call, in: scope)
    return call.source { (upstream, frame, _) throws(Trouble) in
      let outer = frame.captured
      return upstream.tryContains { try test.truth(outer, [$0]) }.map(Value.bool)
        .mapError(PipelineFailure.init(any:)).eraseToAnyPublisher()
    }
  }

  mutating func allSatisfy(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    kinds = .bool
    let test = try predicate(call.arguments(unlabelled: 1).function(), of: call, in: scope)
    return call.source { (upstream, frame, _) throws(Trouble) in
      let outer = frame.captured
      return upstream.tryAllSatisfy { try test.truth(outer, [$0]) }.map(Value.bool)
        .mapError(PipelineFailure.init(any:)).eraseToAnyPublisher()
    }
  }

  /// `min` and `max`.
  func extreme(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let name = call.entry.name
    let precedes = try comparison(call, in: scope) { (a, b) throws(Trouble) in
      try a.precedes(b, for: name)
    }
    return call.source { (upstream, frame, context) throws(Trouble) in
      let outer = frame.captured
      let held = HeldValues(of: name, in: context.holdings)
      let upstream = upstream.kept(.one, by: held, pacedBy: context.work)
      let order = { (a: Value, b: Value) throws in try precedes(outer, a, b) }
      let found = name == "min" ? upstream.tryMin(by: order) : upstream.tryMax(by: order)
      return found.mapError(PipelineFailure.init(any:)).map { held.letGo(of: $0) }
        .eraseToAnyPublisher()
    }
  }

  mutating func collect(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    kinds = .array
    let arguments = try call.arguments(unlabelled: 1)
    guard let how = arguments.unlabelled.first else {
      let (stage, number) = (call.text, call.number)
      return call.source { (upstream, _, context) throws(Trouble) in
        Self.bounded(upstream, stage, context, number) {
          $0.collect().eraseToAnyPublisher()
        }
      }
    }
    if case .call(let callee, let list) = how.kind, let name = callee.lastName {
      return try collect(call, by: name, list, at: how.range, in: scope)
    }
    let count = try integer(how, atLeast: 1, atMost: Self.mostHeld, in: scope)
    return call.source { [number = call.number] (upstream, frame, context) throws(Trouble) in
      let counter = number.counter(in: context)
      let held = HeldValues(of: "collect", in: context.holdings, counter: counter)
      let kept = upstream.kept(.all, by: held, pacedBy: context.work)
      return kept.collect(try count(&frame)).map { array in
        Self.joined(array, from: held, context.work)
      }
      .eraseToAnyPublisher()
    }
  }

  /// `.byTime(scheduler, time)` and `.byTimeOrCount(scheduler, time, count)`.
  private func collect(
    _ call: Call,
    by name: Name,
    _ list: [Argument],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Source {
    let names = ["byTime", "byTimeOrCount"]
    guard let numbers = names.firstIndex(of: name.text).map({ $0 + 1 }) else {
      throw .unknown(
        "way to collect",
        ".\(name.text)",
        at: name.range,
        among: names.map { ".\($0)" },
        instead: "there are .byTime and .byTimeOrCount"
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
    let (stage, number) = (call.text, call.number)
    return call.source { (upstream, frame, context) throws(Trouble) in
      let time = VirtualTimeScheduler.SchedulerTimeType.Stride.nanoseconds(try time(&frame))
      let count = try count?(&frame)
      return Self.bounded(upstream, stage, context, number) { upstream in
        let clock = context.clock
        return upstream.collect(
          count.map { .byTimeOrCount(clock, time, $0) } ?? .byTime(clock, time)
        ).eraseToAnyPublisher()
      }
    }
  }

  /// The array that a stage has collected, and holds no more.
  private static func joined(_ values: [Value], from held: HeldValues, _ work: Work) -> Value {
    for value in values { held.leave(value) }
    work.charge(Price.collecting(values.count))
    return .array(JSONArray(values))
  }

  /// What `collect` makes of a publisher, which fails when too many values wait to be sent on.
  private static func bounded(
    _ upstream: Stream,
    _ stage: String,
    _ context: any PipelineContext,
    _ number: StageNumber,
    _ collect: @escaping (Stream) -> AnyPublisher<[Value], PipelineFailure>
  ) -> Stream {
    let (counter, dropped) = (number.counter(in: context), number.dropping(in: context))
    return Deferred { [holdings = context.holdings, work = context.work] in
      let values = HeldValues(of: "collect", in: holdings, counter: counter)
      let counted = Stage(upstream: upstream, work: work) {
        { (input, _) throws(PipelineFailure) in
          guard values.count < mostHeld else {
            throw PipelineFailure(.fault("more than \(mostHeld) values wait"), stage: stage)
          }
          try values.enter(input.value)
          return .pass
        }
      }
      return collect(counted.eraseToAnyPublisher()).map { array in
        joined(array, from: values, work)
      }
      .handleEvents(receiveCompletion: { completion in
        let count = values.count
        guard case .finished = completion, count > 0 else { return }
        values.clear()
        dropped(count, .noDemand)
      })
    }
    .eraseToAnyPublisher()
  }
}
