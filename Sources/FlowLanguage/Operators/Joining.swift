import FlowCore

extension OperatorTable {
  static let joining: [OperatorEntry] = [
    stage(
      "join(publisher, on: { value in … }, within: time) { a, b in … }",
      "Publishes each pair of values of the two that have the same key and come within this time, "
        + "as arrays or through the closure.",
      demand: StageDemand(
        asks: .oneByOne("1 at a time from each publisher"),
        holds: .values("65536"),
        full: "drops the oldest; requests nothing from the publisher whose pairs wait",
        ends: "when nothing more can come that has a partner; at once with a failure",
        makesValues: true
      ),
      "orders.join(returns, on: \\.id, within: .seconds(10)) { [$0.price, $1.price] }",
      MarbleExample(
        "taps.join(keys, on: { $0 % 10 }, within: 3)",
        ["taps": "1-2---3----|", "keys": "-'11''12'---'12''13'-|"],
        gives: "-'[1,11]''[2,12]'----'[3,13]'--|"
      ),
      price: 1376,
      compile: Compiler.keyedJoin
    )
  ]
}

extension Compiler {
  /// `join(other, on: \.id, within: .seconds(10))`, with a closure of the two or without.
  func keyedJoin(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 2, needing: ["on", "within"])
    guard let first = arguments.unlabelled.first, !first.isFunction else {
      throw arguments.missing("another publisher")
    }
    let branch = try publisher(first, in: scope) as Compiled
    let on = try keySyntax(arguments.required("on"))
    let key = try function(on, of: [call.kinds.union(branch.kinds)], in: scope)
    let keyOf = Function(key, of: call)
    let time = try time(arguments.required("within"), atLeast: Ticks.shortest, in: scope)
    let given = [call.kinds, branch.kinds]
    let (make, kinds) = try transform(arguments, of: call, given, in: scope)
    return call.stage(publishes: kinds, below: [branch]) {
      [other = branch.source, number = call.number] (upstream, locals, context)
        throws(EvaluationError) in
      let outer = locals.captured
      let (counter, leave) = (number.counter(in: context), number.leavingOut(in: context))
      let joined = KeyedJoin(
        left: upstream,
        right: counter.countingBelow(try other(&locals, number.below(context))),
        length: try time(&locals),
        context: context,
        counter: counter,
        dropped: number.dropping(in: context),
        leave: leave
      ) { (value) throws(PipelineFailure) in
        try keyOf.value(outer, .value(value))
      }
      return make(joined.eraseToAnyPublisher(), outer, leave)
    }
    .subscribingAtOnce
  }
}
