import FlowCore

extension Compiler {
  func delay(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 0)
    try acceptQueue(arguments.labelled("scheduler"))
    let time = try time(arguments.required("for"), in: scope)
    return call.source { [number = call.number] (upstream, frame, context) throws(Trouble) in
      let nanoseconds = try time(&frame)
      let held = HeldValues(of: "delay", in: context.holdings)
      let counter = number.counter(in: context)
      return Bypass(upstream: upstream, inside: .values(held), counter: counter) { entrance, exit in
        entrance.delay(for: .nanoseconds(nanoseconds), scheduler: context.clock)
          .receive(subscriber: exit)
      }
      .eraseToAnyPublisher()
    }
  }

  func debounce(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 0)
    try acceptQueue(arguments.labelled("scheduler"))
    let time = try time(arguments.required("for"), in: scope)
    return call.source { [number = call.number] (upstream, frame, context) throws(Trouble) in
      let dropped = number.dropping(in: context)
      let held = HeldValues(of: "debounce", in: context.holdings)
      return upstream.kept(.newest, by: held).debounce(
        for: .nanoseconds(try time(&frame)),
        scheduler: context.clock
      ) { _ in dropped(1, .noDemand) }
      .map { held.letGo(of: $0) }.eraseToAnyPublisher()
    }
  }

  func throttle(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 0)
    try acceptQueue(arguments.labelled("scheduler"))
    let time = try time(arguments.required("for"), in: scope)
    let latest = try flag(arguments.required("latest"), in: scope)
    return call.source { [number = call.number] (upstream, frame, context) throws(Trouble) in
      let (time, latest) = (try time(&frame), try latest(&frame))
      let dropped = number.dropping(in: context)
      let held = HeldValues(of: "throttle", in: context.holdings)
      return upstream.kept(latest ? .newest : .one, by: held).throttle(
        for: .nanoseconds(time),
        scheduler: context.clock,
        latest: latest
      ) { _ in dropped(1, .noDemand) }
      .map { held.letGo(of: $0) }.eraseToAnyPublisher()
    }
  }

  func timeout(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 2)
    try acceptQueue(arguments.labelled("scheduler"))
    let time = try time(arguments.first("a time"), atLeast: 1, in: scope)
    let error = arguments.labelled("customError") ?? arguments.unlabelled.dropFirst().first
    let message = try error.map { (error) throws(Diagnostic) in try failureText(error, in: scope) }
    return call.source { (upstream, frame, context) throws(Trouble) in
      let time = VirtualTimeScheduler.SchedulerTimeType.Stride.nanoseconds(try time(&frame))
      guard let message = try message?(&frame).plainText else {
        return upstream.timeout(time, scheduler: context.clock).eraseToAnyPublisher()
      }
      return upstream.timeout(time, scheduler: context.clock) {
        PipelineFailure(code: "stage", message: message)
      }.eraseToAnyPublisher()
    }
  }

  mutating func measureInterval(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    kinds = .double
    try acceptQueue(call.arguments(unlabelled: 0).required("using"))
    return call.source { (upstream, _, context) throws(Trouble) in
      upstream.measureInterval(using: context.clock).map { .double(Double($0.nanoseconds) / 1e9) }
        .eraseToAnyPublisher()
    }
  }

  /// The text of a failure, or a closure that makes it.
  func failureText(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Evaluation {
    if case .closure(let closure) = syntax.kind {
      if closure.body.lets.isEmpty, caseName(closure.body.result, in: scope) != nil {
        return try failureText(closure.body.result, in: scope)
      }
      return try values.block(closure.body, in: scope).evaluation
    }
    if let name = caseName(syntax, in: scope) { return { (_) throws(Trouble) in .string(name) } }
    return try values.compile(syntax, in: scope)
  }
}
