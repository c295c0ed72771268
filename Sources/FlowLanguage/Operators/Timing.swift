import FlowCore

extension OperatorTable {
  static let timing: [OperatorEntry] = [
    stage(
      "delay(for: time, scheduler: DispatchQueue.main)",
      "Delays everything by this time.",
      demand: StageDemand(
        asks: .same("the same"),
        holds: .asked,
        full: "cannot exceed what was requested",
        ends: "{time} after its upstream"
      ),
      "taps.delay(for: .milliseconds(100))",
      MarbleExample("taps.delay(for: 2)", ["taps": "1-2-|"], gives: "--1-2-|"),
      ignores: ["tolerance", "options"],
      traits: [.passesAll],
      delay: .constant("for"),
      price: 528,
      compile: Compiler.delay
    ),
    stage(
      "debounce(for: time, scheduler: DispatchQueue.main)",
      "Publishes a value when no other has followed for this time.",
      demand: StageDemand(
        asks: .unlimited("unlimited; a value due without demand is dropped"),
        holds: .values("1"),
        full: "keeps the newest",
        thinsOut: true
      ),
      "taps.debounce(for: .milliseconds(300))",
      MarbleExample("taps.debounce(for: 2)", ["taps": "12---34----|"], gives: "---2----4--|"),
      ignores: ["options"],
      delay: .varying,
      price: 864,
      compile: Compiler.debounce
    ),
    stage(
      "throttle(for: time, scheduler: DispatchQueue.main, latest: true)",
      "Publishes at most one value per interval: the latest, or the first.",
      demand: StageDemand(
        asks: .unlimited("unlimited; a value without demand is dropped"),
        holds: .values("1"),
        full: "keeps the latest, or the first",
        ends: "with its upstream, when the next value could be sent",
        thinsOut: true
      ),
      "taps.throttle(for: .seconds(1), scheduler: DispatchQueue.main, latest: true)",
      MarbleExample(
        "taps.throttle(for: 3, latest: true)",
        ["taps": "1-2345-----|"],
        gives: "1--3--5----|"
      ),
      ignores: ["options"],
      delay: .varying,
      price: 960,
      compile: Compiler.throttle
    ),
    stage(
      "timeout(time, scheduler: DispatchQueue.main, customError: { text })",
      "Finishes, or fails with the text, when no value has arrived for this time.",
      demand: StageDemand(
        asks: .same("the same"),
        holds: .asked,
        full: "cannot exceed what was requested",
        ends: "with its upstream, or {time} after the last value"
      ),
      "taps.timeout(.seconds(5), scheduler: DispatchQueue.main, customError: { \"too late\" })",
      MarbleExample("taps.timeout(3)", ["taps": "1-2-----3|"], gives: "1-2--|"),
      ignores: ["options"],
      traits: [.endsEarly],
      price: 800,
      compile: Compiler.timeout
    ),
    stage(
      "measureInterval(using: DispatchQueue.main)",
      "Publishes the seconds since the previous value, or since the subscription.",
      demand: .same("the same"),
      "taps.measureInterval(using: DispatchQueue.main)",
      MarbleExample(
        "taps.measureInterval(using: DispatchQueue.main)",
        ["taps": "-a--b-|"],
        gives: "-'1.0'--'3.0'-|"
      ),
      ignores: ["options"],
      traits: [.passesAll],
      price: 160,
      compile: Compiler.measureInterval
    ),
    stage(
      "timestamp()",
      "Publishes each value with the seconds since 1970, as [\"value\": value, \"time\": seconds].",
      demand: .same("the same"),
      "taps.timestamp()",
      MarbleExample(
        "taps.timestamp().map { [$0.value, $0.time] }",
        ["taps": "-1--2-|"],
        gives: "-'[1,1.0]'--'[2,4.0]'-|"
      ),
      traits: [.passesAll, .keepsName],
      price: 256,
      compile: Compiler.timestamp
    ),
    stage(
      "receive(on: DispatchQueue.main)",
      "Has no effect; accepted for compatibility with Combine.",
      demand: .same("the same"),
      "taps.receive(on: DispatchQueue.main)",
      MarbleExample("taps.receive(on: DispatchQueue.main)", ["taps": "1-2-|"], gives: "1-2-|"),
      ignores: ["options"],
      traits: [.passesAll],
      price: 0,
      compile: Compiler.receive
    ),
  ]
}

extension Compiler {
  func delay(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 0)
    try acceptQueue(arguments.labelled("scheduler"))
    let time = try time(arguments.required("for"), in: scope)
    return call.stage(publishes: call.kinds) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let nanoseconds = try time(&locals)
      let held = HeldValues(of: "delay", in: context.memoryBudget)
      let counter = number.counter(in: context)
      return Bypass(upstream: upstream, inside: .values(held), counter: counter) { entrance, exit in
        entrance.delay(for: .nanoseconds(nanoseconds), scheduler: context.clock)
          .receive(subscriber: exit)
      }
      .eraseToAnyPublisher()
    }
    .countingItself
  }

  func debounce(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 0)
    try acceptQueue(arguments.labelled("scheduler"))
    let time = try time(arguments.required("for"), in: scope)
    return call.stage(publishes: call.kinds) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let dropped = number.dropping(in: context)
      let counter = number.counter(in: context)
      let held = HeldValues(of: "debounce", in: context.memoryBudget, counter: counter)
      return upstream.kept(.newest, by: held).debounce(
        for: .nanoseconds(try time(&locals)),
        scheduler: context.clock
      ) { [weak held] _ in
        // What is scheduled may be there for longer than the subscription that holds something.
        held?.uncount()
        dropped(1, .noDemand)
      }
      .map { held.letGo(of: $0) }.eraseToAnyPublisher()
    }
  }

  func throttle(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 0)
    try acceptQueue(arguments.labelled("scheduler"))
    let time = try time(arguments.required("for"), in: scope)
    let latest = try optional(arguments.labelled("latest")) { (syntax) throws(Diagnostic) in
      try flag(syntax, in: scope)
    }
    return call.stage(publishes: call.kinds) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let (time, latest) = (try time(&locals), try latest?(&locals) ?? true)
      let dropped = number.dropping(in: context)
      let counter = number.counter(in: context)
      let held = HeldValues(of: "throttle", in: context.memoryBudget, counter: counter)
      return upstream.kept(latest ? .newest : .one, by: held).throttle(
        for: .nanoseconds(time),
        scheduler: context.clock,
        latest: latest
      ) { [weak held] _ in
        // What is scheduled may be there for longer than the subscription that holds something.
        held?.uncount()
        dropped(1, .noDemand)
      }
      .map { held.letGo(of: $0) }.eraseToAnyPublisher()
    }
  }

  func timeout(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 2)
    try acceptQueue(arguments.labelled("scheduler"))
    let time = try time(arguments.first("a time"), atLeast: 1, in: scope)
    let error = arguments.labelled("customError") ?? arguments.unlabelled.dropFirst().first
    let message = try error.map { (error) throws(Diagnostic) in try failureText(error, in: scope) }
    return call.stage(publishes: call.kinds) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let time = VirtualTimeScheduler.SchedulerTimeType.Stride.nanoseconds(try time(&locals))
      let message = try message?(&locals).plainText
      let held = HeldValues(of: "timeout", in: context.memoryBudget)
      let counter = number.counter(in: context)
      return Bypass(upstream: upstream, inside: .values(held), counter: counter) { entrance, exit in
        let failure = message.map { (message) -> () -> PipelineFailure in { .stage(message) } }
        entrance.timeout(time, scheduler: context.clock, customError: failure)
          .receive(subscriber: exit)
      }
      .eraseToAnyPublisher()
    }
    .countingItself
  }

  func measureInterval(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    try acceptQueue(call.arguments(unlabelled: 0).required("using"))
    return call.stage(publishes: .double) { (upstream, _, context) throws(EvaluationError) in
      upstream.measureInterval(using: context.clock).map { .double(Double($0.nanoseconds) / 1e9) }
        .eraseToAnyPublisher()
    }
  }

  func receive(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    try acceptQueue(call.arguments(unlabelled: 0).required("on"))
    return CompiledStage(source: call.upstream, kinds: call.kinds)
  }

  /// The text of a failure, or a closure that makes it.
  func failureText(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Evaluation {
    if case .closure(let closure) = syntax.kind {
      if closure.body.lets.isEmpty, caseName(closure.body.result, in: scope) != nil {
        return try failureText(closure.body.result, in: scope)
      }
      return try values(in: scope).block(closure.body, in: scope).evaluation
    }
    if let name = caseName(syntax, in: scope) {
      return { (_) throws(EvaluationError) in .string(name) }
    }
    return try values(in: scope).compile(syntax, in: scope)
  }
}
