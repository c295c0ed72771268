import FlowCore

extension Compiler {
  func timestamp(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (name, time) = (Key("value"), Key("time"))
    return try wrapping(call) { work in
      { (value) throws(EvaluationError) in
        try JSONObject.checked([
          JSONObject.Member(name: name, value: value),
          JSONObject.Member(name: time, value: Moments.seconds(work.timeOfDay)),
        ])
      }
    }
  }

  func enumerated(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    try wrapping(call) { _ in
      var offset = 0
      return { (value) throws(EvaluationError) in
        let object = try JSONObject.checked(Search.numbered(offset, value))
        offset += 1
        return object
      }
    }
  }

  /// A stage that publishes each value inside of an object; `makeWrapper` makes what gives the objects of
  /// one subscription.
  private func wrapping(
    _ call: StageCall,
    _ makeWrapper: @escaping (Work) -> (Value) throws(EvaluationError) -> Value
  ) throws(Diagnostic) -> CompiledStage {
    _ = try call.arguments(unlabelled: 0)
    return call.stage(publishes: .object) {
      [number = call.number, text = call.text] (upstream, _, context) throws(EvaluationError) in
      let work = context.work
      return Stage(
        upstream: upstream,
        counter: number.counter(in: context),
        makesAll: true,
        work: work,
        leave: number.leavingOut(in: context)
      ) {
        let wrapped = makeWrapper(work)
        return { (input, _) throws(PipelineFailure) in
          let value = input.value
          do throws(EvaluationError) {
            return .publish(try wrapped(value))
          } catch {
            throw PipelineFailure(error, stage: text, value: value, leavesOut: true)
          }
        }
      }
      .eraseToAnyPublisher()
    }
    .countingItself
  }
}
