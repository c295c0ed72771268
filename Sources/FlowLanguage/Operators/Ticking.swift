import FlowCore

extension OperatorTable {
  static let ticking: [OperatorEntry] = [timer]

  fileprivate static let timer = source(
    "Timer.publish(every: time, on: .main, in: .common).autoconnect()",
    "Publishes 1, 2, 3 … at this interval, from the subscription on.",
    demand: StageDemand(asks: "a tick without demand is dropped", ends: "never"),
    "Timer.publish(every: .seconds(1)).autoconnect()",
    MarbleExample(
      "Timer.publish(every: 2).autoconnect()",
      asking: "2-------u",
      gives: "--1-2---4-5"
    ),
    ignores: ["tolerance", "options"],
    traits: [.isEndless],
    rate: .ticks("every"),
    price: 464,
    .head
  )

  static let connecting: [OperatorEntry] = [
    tail(
      "autoconnect()",
      "Part of Timer.publish.",
      demand: .same("the same"),
      "Timer.publish(every: 1).autoconnect()",
      MarbleExample("Timer.publish(every: 1).autoconnect().prefix(3)", gives: "-12[3|]"),
      price: 0,
      compile: Compiler.timer
    )
  ]
}

extension Compiler {
  /// `Timer.publish(every: 1).autoconnect()`.
  func timer(_ tail: Tail, in scope: Scope) throws(Diagnostic) -> Compiled {
    try size.add(sources: 1, at: tail.range)
    let head = OperatorTable.timer
    let stage = try ticks(head, tail, in: scope)
    return compiled(stage, of: head, tail.base.arguments, at: tail.range, in: scope)
  }

  private func ticks(
    _ head: OperatorEntry,
    _ tail: Tail,
    in scope: Scope
  ) throws(Diagnostic) -> CompiledStage {
    guard case .call(let callee, let arguments) = tail.base.kind,
      case .member(let type, let publish) = callee.kind, publish.text == "publish",
      case .name("Timer") = type.kind, tail.list.isEmpty
    else {
      if case .call(let callee, _) = tail.base.kind, case .member(_, let name) = callee.kind,
        ForeignWord.isAdvised(against: name.text)
      {
        throw OperatorTable.unknown(name)
      }
      throw Diagnostic("autoconnect() must follow Timer.publish(every: …)", at: tail.name.range)
    }
    let checked = try Arguments(arguments, of: head, at: callee.range, unlabelled: 0)
    let every = try time(checked.required("every"), atLeast: Ticks.shortest, in: scope)
    try acceptQueue(checked.labelled("on"))
    if let mode = checked.labelled("in"), mode.lastName == nil {
      throw Diagnostic("expected a mode such as .common", at: mode.range)
    }
    let source: PublisherFactory = { (locals, context) throws(EvaluationError) in
      Ticks(interval: .nanoseconds(try every(&locals)), context: context).eraseToAnyPublisher()
    }
    return CompiledStage(source: source, kinds: .int)
  }
}

extension Syntax {
  /// What stands in the parentheses of a call.
  fileprivate var arguments: [Argument] {
    if case .call(_, let arguments) = kind { arguments } else { [] }
  }
}
