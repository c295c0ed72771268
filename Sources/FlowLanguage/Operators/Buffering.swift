import FlowCore

extension OperatorTable {
  static let buffering: [OperatorEntry] = [
    stage(
      "buffer(size: count, prefetch: .byRequest, whenFull: .dropOldest)",
      "Holds values until they are requested (.keepFull, .dropNewest, .customError(\"text\")).",
      demands: [
        StageDemand(
          with: ".byRequest",
          asks: .unlimited("unlimited"),
          holds: .values("{size}"),
          full: "{whenFull}",
          ends: "after what it holds"
        ),
        StageDemand(
          with: ".keepFull",
          asks: "{size}, then 1 for each value taken",
          holds: .values("{size}"),
          full: "stops requesting; {whenFull} for values that arrive anyway",
          ends: "after what it holds"
        ),
      ],
      "taps.buffer(size: 20, prefetch: .byRequest, whenFull: .dropOldest)",
      MarbleExample(
        "taps.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)",
        ["taps": "1234-|"],
        asking: "1---1-1",
        gives: "1---3-[4|]"
      ),
      traits: [.passesAll, .buffers],
      price: 640,
      compile: Compiler.buffer
    )
  ]
}

extension Compiler {
  func buffer(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(
      unlabelled: 0,
      needing: ["size", "prefetch", "whenFull"]
    )
    let size = try integer(arguments.required("size"), atLeast: 0, in: scope)
    let prefetch = try prefetch(arguments.required("prefetch"))
    let whenFull = try whenFull(arguments.required("whenFull"), in: scope)
    return call.stage(publishes: call.kinds) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let size = try size(&locals)
      let strategy = try whenFull.strategy(&locals)
      let reason = whenFull.reason
      let held = HeldValues(of: "buffer", in: context.memoryBudget)
      let counter = number.counter(in: context)
      let drop = number.dropping(in: context, for: reason) { value in
        held.leave(value)
        counter?.drop(1)
        context.dropped(1, reason)
      }
      return Bypass(upstream: upstream, inside: .values(held), counter: counter) { entrance, exit in
        entrance.buffer(size: size, prefetch: prefetch, whenFull: strategy, onDrop: drop)
          .receive(subscriber: exit)
      }
      .eraseToAnyPublisher()
    }
    .countingItself
  }

  private func prefetch(_ syntax: Syntax) throws(Diagnostic) -> Publishers.PrefetchStrategy {
    switch syntax.lastName?.text {
    case "keepFull": return .keepFull
    case "byRequest": return .byRequest
    default:
      throw .unknown(
        "prefetch",
        text(syntax.range),
        at: syntax.range,
        among: [".keepFull", ".byRequest"],
        instead: "expected .keepFull or .byRequest"
      )
    }
  }

  private typealias Strategy = Publishers.BufferingStrategy<PipelineFailure>

  private func whenFull(
    _ syntax: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> (
    strategy: (inout Locals) throws(EvaluationError) -> Strategy, reason: DropReason
  ) {
    switch syntax.lastName?.text {
    case "dropNewest": return ({ (_) throws(EvaluationError) in .dropNewest }, .bufferNewest)
    case "dropOldest": return ({ (_) throws(EvaluationError) in .dropOldest }, .bufferOldest)
    default: break
    }
    guard case .call(let callee, let arguments) = syntax.kind,
      callee.lastName?.text == "customError", arguments.count == 1
    else {
      throw .unknown(
        "strategy",
        text(syntax.range),
        at: syntax.range,
        among: [".dropNewest", ".dropOldest", ".customError(\"text\")"],
        instead: "expected .dropNewest, .dropOldest or .customError(\"text\")"
      )
    }
    let message = try failureText(arguments[0].value, in: scope)
    return (
      { (locals) throws(EvaluationError) in
        let failure = PipelineFailure.stage(try message(&locals).plainText)
        return .customError { failure }
      }, .bufferNewest
    )
  }
}
