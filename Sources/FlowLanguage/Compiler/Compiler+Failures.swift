import FlowCore

extension Compiler {
  mutating func recover(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let body = try publisherFunction(arguments.function(), of: [.object], in: scope)
    kinds.formUnion(call.kinds)
    let stage = call.text
    return { [upstream = call.upstream] (frame, context) throws(Trouble) in
      let outer = frame.captured
      let below = context.below
      return try upstream(&frame, context).catch { failure -> Stream in
        let failure = context.visible(failure)
        var frame = Frame(outer, failure.value)
        defer { outer.charge(frame) }
        do throws(Trouble) {
          return try body(&frame, below)
        } catch {
          return .failing(PipelineFailure(error, stage: stage, value: failure.value))
        }
      }.eraseToAnyPublisher()
    }
  }

  /// `retry(3)`, `retry(3, delay: 1)` and `retry(3, backoff: .exponential(from: 1, upTo: 60))`.
  func retry(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let count = try integer(arguments.first("a count"), atLeast: 0, in: scope)
    try acceptQueue(arguments.labelled("scheduler"))
    guard let backoff = try backoff(arguments, in: scope) else {
      return call.source { (upstream, frame, context) throws(Trouble) in
        PacedSubscribing(upstream: upstream, pace: context.pace).retry(try count(&frame))
          .eraseToAnyPublisher()
      }
    }
    return call.source { (upstream, frame, context) throws(Trouble) in
      let (count, backoff) = (try count(&frame), try backoff(&frame))
      return PacedSubscribing(upstream: upstream, pace: context.pace)
        .retry(count, backoff: backoff, scheduler: context.clock)
        .eraseToAnyPublisher()
    }
  }

  private typealias Backoff = RetryBackoff<VirtualTimeScheduler.SchedulerTimeType.Stride>

  private func backoff(
    _ arguments: Arguments,
    in scope: Scope
  ) throws(Diagnostic) -> ((inout Frame) throws(Trouble) -> Backoff)? {
    if let delay = arguments.labelled("delay") {
      if let backoff = arguments.labelled("backoff") {
        throw Diagnostic("retry takes \"delay:\" or \"backoff:\", not both", at: backoff.range)
      }
      let time = try time(delay, in: scope)
      return { (frame) throws(Trouble) in .constant(.nanoseconds(try time(&frame))) }
    }
    guard let backoff = arguments.labelled("backoff") else { return nil }
    guard case .call(let callee, let list) = backoff.kind, let name = callee.lastName else {
      throw Diagnostic(
        "a backoff is needed here, as in .exponential(from: 1, upTo: 60) or .constant(1)",
        at: backoff.range
      )
    }
    switch name.text {
    case "constant" where list.count == 1 && list[0].label == nil:
      let time = try time(list[0].value, in: scope)
      return { (frame) throws(Trouble) in .constant(.nanoseconds(try time(&frame))) }
    case "exponential": return try exponential(list, at: backoff.range, in: scope)
    default:
      throw .unknown(
        "backoff",
        ".\(name.text)",
        at: name.range,
        among: [".constant", ".exponential"],
        instead: "there are .constant and .exponential"
      )
    }
  }

  private func exponential(
    _ list: [Argument],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> (inout Frame) throws(Trouble) -> Backoff {
    let form = "exponential takes from:, upTo: and maybe factor:"
    guard let from = list.first(where: { $0.label == "from" }),
      let most = list.first(where: { $0.label == "upTo" }),
      list.allSatisfy({ ["from", "upTo", "factor"].contains($0.label) })
    else { throw Diagnostic(form, at: range) }
    let first = try time(from.value, in: scope)
    let last = try time(most.value, in: scope)
    let factor = try list.first { $0.label == "factor" }.map { (argument) throws(Diagnostic) in
      try integer(argument.value, atLeast: 1, in: scope)
    }
    return { (frame) throws(Trouble) in
      .exponential(
        from: .nanoseconds(try first(&frame)),
        factor: try factor?(&frame) ?? 2,
        upTo: .nanoseconds(try last(&frame))
      )
    }
  }

  mutating func replaceError(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let value = try replacement(call, in: scope)
    return call.source { (upstream, frame, _) throws(Trouble) in
      upstream.replaceError(with: try value(&frame)).setFailureType(to: PipelineFailure.self)
        .eraseToAnyPublisher()
    }
  }

  mutating func replaceEmpty(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let value = try replacement(call, in: scope)
    return call.source { (upstream, frame, _) throws(Trouble) in
      upstream.replaceEmpty(with: try value(&frame)).eraseToAnyPublisher()
    }
  }

  mutating func replaceNil(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let value = try replacement(call, instead: .null, in: scope)
    return call.source { (upstream, frame, _) throws(Trouble) in
      let replacement = try value(&frame)
      return upstream.map { value in
        if case .null = value.decoded { replacement } else { value }
      }.eraseToAnyPublisher()
    }
  }

  /// The value that is published besides, or instead of those of some kinds.
  private mutating func replacement(
    _ call: Call,
    instead replaced: Kinds = [],
    in scope: Scope
  ) throws(Diagnostic) -> Evaluation {
    let operand = try values.operand(call.arguments(unlabelled: 0).required("with"), in: scope)
    kinds = call.kinds.subtracting(replaced).union(operand.kinds)
    return operand.evaluation
  }

  func mapError(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    if let error = arguments.unlabelled.first, let name = caseName(error, in: scope) {
      return call.source { (upstream, _, _) throws(Trouble) in
        upstream.mapError { failure in
          PipelineFailure(code: failure.code, message: "\(name): \(failure.message)")
        }.eraseToAnyPublisher()
      }
    }
    let closure = try arguments.function()
    let body: Evaluation
    if case .closure(let parts) = closure.kind, caseName(parts.body.result, in: scope) != nil {
      _ = try values.scope(parts, at: closure.range, of: [.object], in: scope)
      body = try failureText(parts.body.result, in: scope)
    } else {
      body = try function(closure, of: [.object], in: scope).evaluation
    }
    let stage = call.text
    return { [upstream = call.upstream] (frame, context) throws(Trouble) in
      let outer = frame.captured
      return try upstream(&frame, context).mapError { failure in
        let failure = context.visible(failure)
        var frame = Frame(outer, failure.value)
        defer { outer.charge(frame) }
        do throws(Trouble) {
          let message = try body(&frame).plainText
          return PipelineFailure(code: failure.code, message: message)
        } catch {
          return PipelineFailure(error, stage: stage, value: failure.value)
        }
      }.eraseToAnyPublisher()
    }
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
