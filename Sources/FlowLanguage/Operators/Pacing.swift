import FlowCore

extension OperatorTable {
  static let pacing: [OperatorEntry] = [
    stage(
      "pace(count, per: time)",
      "Lets at most so many values pass in any interval of this length; the source waits, nothing is lost.",
      demand: .same("the same, at most {count} in the time {per}"),
      "taps.pace(5, per: .seconds(1))",
      MarbleExample(
        "(1...5).publisher.pace(2, per: .seconds(3))",
        gives: "[12]--[34]--[5|]"
      ),
      traits: [.passesAll, .keepsName],
      delay: .varying,
      rate: .pace,
      price: 192,
      compile: Compiler.pace
    )
  ]
}

extension Compiler {
  func pace(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    let count = try integer(arguments.first("a count"), atLeast: 1, in: scope)
    let time = try time(arguments.required("per"), atLeast: Ticks.shortest, in: scope)
    return call.stage(publishes: call.kinds) {
      (upstream, locals, context) throws(EvaluationError) in
      upstream.pace(
        try count(&locals),
        per: .nanoseconds(try time(&locals)),
        scheduler: context.clock
      )
      .eraseToAnyPublisher()
    }
  }
}
