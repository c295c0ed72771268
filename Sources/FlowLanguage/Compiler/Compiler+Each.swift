import FlowCore

extension Compiler {
  /// A stage that decides by what its closure makes of a value.
  ///
  /// It publishes what came in, or of what the closure makes what is of one of the kinds `published`.
  /// If it `passesItsValue`, a closure that makes just that is not called.
  func each(
    _ call: StageCall,
    label: String? = nil,
    makes kinds: Kinds = .any,
    publishes published: Kinds? = nil,
    passesItsValue: Bool = false,
    _ verdict: Verdict,
    in scope: Scope
  ) throws(Diagnostic) -> CompiledStage {
    let closure = try call.arguments(unlabelled: 1).function(label)
    let body = try function(closure, of: [call.kinds], makes: kinds, in: scope)
    let published = published.map(body.kinds.intersection) ?? call.kinds
    let (stage, name, leavesOut) = (call.text, call.entry.name, call.leavesOut)
    let passesAll = passesItsValue && closure.isItsValue
    let makesAll = if case .publish = verdict { !passesAll } else { false }
    let makeStep = { (outer: Locals.Captured) -> Transform in
      { (input, work) throws(PipelineFailure) in
        do throws(EvaluationError) {
          switch verdict {
          case .publish(let publishing):
            return publishing.of(try body.value(outer, input, work))
          case .judge(let judging):
            return judging.of(try body.truth(outer, input, work, name))
          }
        } catch {
          throw PipelineFailure(error, stage: stage, value: input.value, leavesOut: leavesOut)
        }
      }
    }
    let step: (inout Locals) -> Transform
    if passesAll {
      step = { _ in { (_, _) in .pass } }
    } else if scope.isOutermost {
      // One for all subscriptions, which may be thousands.
      let one = makeStep(Locals().captured)
      step = { _ in one }
    } else {
      step = { makeStep($0.captured) }
    }
    return call.stage(publishes: published) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let counter = number.counter(in: context)
      // Nobody counts what goes past it.
      if passesAll, counter == nil { return upstream }
      let step = step(&locals)
      let work = passesAll ? nil : context.work
      return Stage(
        upstream: upstream,
        counter: counter,
        passesAll: passesAll,
        makesAll: makesAll,
        work: work,
        leave: passesAll ? nil : number.leavingOut(in: context)
      ) { step }
      .eraseToAnyPublisher()
    }
    .countingItself
  }
}
