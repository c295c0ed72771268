import FlowCore

extension OperatorTable {
  static let errorHandling: [OperatorEntry] = [
    stage(
      "catch { error in … }",
      "After a failure (error.code, error.message), continues with the closure's publisher.",
      demand: StageDemand(
        asks: .same("the same; the remaining demand goes to the new publisher"),
        ends: "with its upstream, or with the new publisher"
      ),
      "orders.catch { Just($0.message) }",
      MarbleExample(
        "taps.catch { Just($0.message) }",
        ["taps": "1-2-^"],
        gives: "1-2-['failed'|]"
      ),
      traits: [.passesAll, .recovers, .closureMakesPublisher],
      price: StagePrice(800, branches: .inTurn),
      compile: Compiler.recover
    ),
    stage(
      "retry(count), retry(count, delay: time) or "
        + "retry(count, backoff: .exponential(from: time, upTo: time))",
      "Resubscribes after a failure, at most count times, at once or after a delay.",
      demand: StageDemand(
        asks: .same("the same; the remaining demand goes to the new subscription"),
        ends: "with its upstream, or with the failure after {count} retries"
      ),
      "orders.retry(3, delay: .milliseconds(100))",
      MarbleExample("Just(1).append(Fail(\"no\")).retry(2, delay: 2)", gives: "1-1-[1^]"),
      traits: [.passesAll, .recovers],
      price: 704,
      compile: Compiler.retry
    ),
    stage(
      "replaceError(with: value)",
      "Publishes the value instead of a failure and finishes.",
      demand: StageDemand(
        asks: .same("the same"),
        ends: "with its upstream, or after the replacement"
      ),
      "orders.replaceError(with: null)",
      MarbleExample("taps.replaceError(with: 0)", ["taps": "1-2-^"], gives: "1-2-[0|]"),
      traits: [.passesAll, .recovers],
      price: 336,
      compile: Compiler.replaceError
    ),
    stage(
      "mapError { error in … }",
      "Replaces the text of a failure with the closure's result.",
      demand: .same("the same"),
      "orders.mapError { \"orders: \\($0.message)\" }",
      MarbleExample(
        "taps.mapError { \"no \\($0.message)\" }.catch { Just($0.message) }",
        ["taps": "1-^"],
        gives: "1-['no failed'|]"
      ),
      traits: [.passesAll, .keepsName],
      price: 288,
      compile: Compiler.mapError
    ),
    stage(
      "setFailureType(to: Error)",
      "Has no effect; accepted for compatibility with Combine.",
      demand: .same("the same"),
      "Just(1).setFailureType(to: Error.self)",
      MarbleExample("taps.setFailureType(to: Error.self)", ["taps": "1-2-^"], gives: "1-2-^"),
      traits: [.passesAll, .keepsName],
      price: 0,
      compile: Compiler.setFailureType
    ),
  ]
}

extension Compiler {
  func recover(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    let made = try publisherFunction(arguments.function(), of: [.object], in: scope)
    let (body, stage) = (made.source, call.text)
    return passing(call, publishes: made.kinds.union(call.kinds), below: [made]) {
      [number = call.number] (locals, context) throws(EvaluationError) in
      let outer = locals.captured
      let below = number.below(context)
      let next = { (failure: PipelineFailure) -> Stream in
        let failure = context.visible(failure)
        var locals = Locals(outer, failure.value)
        defer { outer.charge(locals) }
        do throws(EvaluationError) {
          return try body(&locals, below)
        } catch {
          return .failing(PipelineFailure(error, stage: stage, value: failure.value))
        }
      }
      return { $0.catch(next).receive(subscriber: $1) }
    }
  }

  /// `retry(3)`, `retry(3, delay: 1)` and `retry(3, backoff: .exponential(from: 1, upTo: 60))`.
  func retry(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    let count = try integer(arguments.first("a count"), atLeast: 0, in: scope)
    try acceptQueue(arguments.labelled("scheduler"))
    let backoff = try backoff(arguments, in: scope)
    var stage = passing(call, readsAnew: true) { (locals, context) throws(EvaluationError) in
      let count = try count(&locals)
      let (timeSlice, clock) = (context.timeSlice, context.clock)
      guard let backoff = try backoff?(&locals) else {
        return { entrance, exit in
          PacedSubscribing(upstream: entrance, timeSlice: timeSlice).retry(count)
            .receive(subscriber: exit)
        }
      }
      return { entrance, exit in
        PacedSubscribing(upstream: entrance, timeSlice: timeSlice)
          .retry(count, backoff: backoff, scheduler: clock).receive(subscriber: exit)
      }
    }
    stage.subscribesLater = true
    return stage
  }

  private typealias Backoff = RetryBackoff<VirtualTimeScheduler.SchedulerTimeType.Stride>

  private func backoff(
    _ arguments: Arguments,
    in scope: Scope
  ) throws(Diagnostic) -> ((inout Locals) throws(EvaluationError) -> Backoff)? {
    if let delay = arguments.labelled("delay") {
      if let backoff = arguments.labelled("backoff") {
        throw Diagnostic("retry takes \"delay:\" or \"backoff:\", not both", at: backoff.range)
      }
      let time = try time(delay, in: scope)
      return { (locals) throws(EvaluationError) in .constant(.nanoseconds(try time(&locals))) }
    }
    guard let backoff = arguments.labelled("backoff") else { return nil }
    guard case .call(let callee, let list) = backoff.kind, let name = callee.lastName else {
      throw Diagnostic(
        "expected a backoff such as .exponential(from: 1, upTo: 60) or .constant(1)",
        at: backoff.range
      )
    }
    switch name.text {
    case "constant" where list.count == 1 && list[0].label == nil:
      let time = try time(list[0].value, in: scope)
      return { (locals) throws(EvaluationError) in .constant(.nanoseconds(try time(&locals))) }
    case "exponential": return try exponential(list, at: backoff.range, in: scope)
    default:
      throw .unknown(
        "backoff",
        ".\(name.text)",
        at: name.range,
        among: [".constant", ".exponential"],
        instead: "expected .constant or .exponential"
      )
    }
  }

  private func exponential(
    _ list: [Argument],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> (inout Locals) throws(EvaluationError) -> Backoff {
    let form = "exponential takes from:, upTo: and optionally factor:"
    guard let from = list.first(where: { $0.label == "from" }),
      let most = list.first(where: { $0.label == "upTo" }),
      list.allSatisfy({ ["from", "upTo", "factor"].contains($0.label) })
    else { throw Diagnostic(form, at: range) }
    let first = try time(from.value, in: scope)
    let last = try time(most.value, in: scope)
    let factor = try list.first { $0.label == "factor" }.map { (argument) throws(Diagnostic) in
      try integer(argument.value, atLeast: 1, in: scope)
    }
    return { (locals) throws(EvaluationError) in
      .exponential(
        from: .nanoseconds(try first(&locals)),
        factor: try factor?(&locals) ?? 2,
        upTo: .nanoseconds(try last(&locals))
      )
    }
  }

  func replaceError(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (value, kinds) = try replacement(call, in: scope)
    return passing(call, publishes: kinds) { (locals, _) throws(EvaluationError) in
      let value = try value(&locals)
      return { entrance, exit in
        entrance.replaceError(with: value).setFailureType(to: PipelineFailure.self)
          .receive(subscriber: exit)
      }
    }
  }

  func mapError(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    if let error = arguments.unlabelled.first, let name = caseName(error, in: scope) {
      return mapFailure(call) { (_, _) in
        { PipelineFailure(code: $0.code, message: "\(name): \($0.message)") }
      }
    }
    let closure = try arguments.function()
    let body: Evaluation
    if case .closure(let parts) = closure.kind, caseName(parts.body.result, in: scope) != nil {
      _ = try values(in: scope).scope(parts, at: closure.range, of: [.object], in: scope)
      body = try failureText(parts.body.result, in: scope)
    } else {
      body = try function(closure, of: [.object], in: scope).evaluation
    }
    let stage = call.text
    return mapFailure(call) { (locals, context) in
      let outer = locals.captured
      return { failure in
        let failure = context.visible(failure)
        var locals = Locals(outer, failure.value)
        defer { outer.charge(locals) }
        do throws(EvaluationError) {
          let message = try body(&locals).plainText
          return PipelineFailure(code: failure.code, message: message)
        } catch {
          return PipelineFailure(error, stage: stage, value: failure.value)
        }
      }
    }
  }

  private func mapFailure(
    _ call: StageCall,
    make:
      @escaping (inout Locals, any PipelineContext) -> (PipelineFailure) -> PipelineFailure
  ) -> CompiledStage {
    call.stage(publishes: call.kinds) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      Stage(
        upstream: upstream,
        counter: number.counter(in: context),
        passesAll: true,
        mapFailure: make(&locals, context)
      ) { { (_, _) in .pass } }
      .eraseToAnyPublisher()
    }
    .countingItself
  }

  func setFailureType(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    _ = try call.arguments(unlabelled: 0).required("to")
    return CompiledStage(source: call.upstream, kinds: call.kinds)
  }
}

extension PipelineFailure {
  /// The failure as closures see it.
  fileprivate var value: Value {
    .object(
      JSONObject(members: [
        .init(key: "code", value: .string(code)), .init(key: "message", value: .string(message)),
      ])
    )
  }
}
