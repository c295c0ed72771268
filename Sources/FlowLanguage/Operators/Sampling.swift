import FlowCore

extension OperatorTable {
  static let pairing: [OperatorEntry] = [
    stage(
      "pairwise()",
      "Publishes each value with the one before it, as an array of the two.",
      demand: StageDemand(
        asks: "the same, and 1 more for the first",
        holds: .values("1"),
        full: "keeps the newest",
        makesValues: true
      ),
      "orders.pairwise().map { $1.price - $0.price }",
      MarbleExample("taps.pairwise()", ["taps": "1-2-5-|"], gives: "--'[1,2]'-'[2,5]'-|"),
      traits: [.keepsName],
      compile: Compiler.pairwise
    )
  ]

  static let sampling: [OperatorEntry] = [
    stage(
      "sample(when: publisher)",
      "Publishes the newest value whenever the other publisher publishes, if there is a new one.",
      demand: StageDemand(
        asks: "unlimited; the same from the other, and 1 more whenever there is no new value",
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
    let branch =
      try publisher(call.arguments(unlabelled: 0).required("when"), in: scope) as Compiled
    let other = branch.source
    return call.stage(publishes: call.kinds, below: [branch]) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let counter = number.counter(in: context)
      let held = HeldValues(of: "sample", in: context.memoryBudget, counter: counter)
      let other = try other(&locals, context.below)
      return upstream.kept(.newest, by: held).sample(when: other).map { held.letGo(of: $0) }
        .eraseToAnyPublisher()
    }
    .subscribingAtOnce
  }
}
