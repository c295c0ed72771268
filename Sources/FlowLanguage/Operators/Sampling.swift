import FlowCore

extension OperatorTable {
  static let pairing: [OperatorEntry] = [
    stage(
      "pairwise()",
      "Publishes each value with the one before it, as an array of the two.",
      demand: StageDemand(
        asks: .same("the same, and 1 more for the first"),
        holds: .values("1"),
        full: "keeps the newest",
        makesValues: true
      ),
      "orders.pairwise().map { $1.price - $0.price }",
      MarbleExample("taps.pairwise()", ["taps": "1-2-5-|"], gives: "--'[1,2]'-'[2,5]'-|"),
      traits: [.keepsName],
      price: 560,
      compile: Compiler.pairwise
    ),
    stage(
      "enumerated()",
      "Publishes each value with its place, counted from 0, as [\"offset\": place, \"element\": value].",
      demand: .same("the same"),
      "orders.enumerated().filter { $0.offset % 10 == 0 }.map(\\.element)",
      MarbleExample(
        "taps.enumerated().map { [$0.offset, $0.element] }",
        ["taps": "-8--9-|"],
        gives: "-'[0,8]'--'[1,9]'-|"
      ),
      traits: [.passesAll, .keepsName],
      price: 256,
      compile: Compiler.enumerated
    ),
  ]

  static let sampling: [OperatorEntry] = [
    stage(
      "sample(when: publisher)",
      "Publishes the newest value whenever the other publisher publishes, if there is a new one.",
      demand: StageDemand(
        asks: .unlimited(
          "unlimited; the same from the other, and 1 more whenever there is no new value"
        ),
        holds: .values("1"),
        full: "keeps the newest",
        ends: "as soon as either has ended",
        thinsOut: true
      ),
      "taps.sample(when: Timer.publish(every: .seconds(1)).autoconnect())",
      MarbleExample(
        "taps.sample(when: keys)",
        ["taps": "12--3---4|", "keys": "--a---bc--"],
        gives: "--2---3--|"
      ),
      price: 696,
      compile: Compiler.sample
    )
  ]
}

extension Compiler {
  func pairwise(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    _ = try call.arguments(unlabelled: 0)
    return call.stage(publishes: .array(of: 2)) { (upstream, _, context) throws(EvaluationError) in
      let held = HeldValues(of: "pairwise", in: context.memoryBudget)
      return upstream.kept(.newest, by: held, pacedBy: context.work).pairwise().map { pair in
        withExtendedLifetime(held) { .array(JSONArray([pair.previous, pair.current])) }
      }
      .eraseToAnyPublisher()
    }
  }

  func sample(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    if let argument = call.list.first { try checkPublishes(argument, of: call) }
    let branch =
      try publisher(call.arguments(unlabelled: 0).required("when"), in: scope) as Compiled
    let other = branch.source
    return call.stage(publishes: call.kinds, below: [branch]) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let counter = number.counter(in: context)
      let held = HeldValues(of: "sample", in: context.memoryBudget, counter: counter)
      let other = try other(&locals, number.below(context))
      return upstream.kept(.newest, by: held).sample(when: other).map { held.letGo(of: $0) }
        .eraseToAnyPublisher()
    }
    .subscribingAtOnce
  }

  /// Refuses a count or a time in place of the publisher that says when.
  private func checkPublishes(_ argument: Argument, of call: StageCall) throws(Diagnostic) {
    let value = argument.value
    let message = "\(call.entry.signature) takes a publisher"
    if case .literal(.int(let count)) = value.kind {
      let instead = "window(1, every: \(count)) samples by count"
      throw Diagnostic("\(message); \(instead)", at: value.range)
    }
    guard value.isTime || value.number != nil else { return }
    let time = value.isTime ? text(value.range) : ".seconds(\(text(value.range)))"
    throw Diagnostic(
      message,
      at: argument.range,
      suggestion: "when: Timer.publish(every: \(time)).autoconnect()"
    )
  }
}
