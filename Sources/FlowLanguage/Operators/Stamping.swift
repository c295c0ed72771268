import FlowCore

extension Compiler {
  func timestamp(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let (name, time) = (Key("value"), Key("time"))
    return try wrapping(call) { work in
      { value in
        [
          JSONObject.Member(name: name, value: value),
          JSONObject.Member(name: time, value: Moments.seconds(work.timeOfDay)),
        ]
      }
    }
  }

  func enumerated(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    try wrapping(call) { _ in
      var offset = 0
      return { value in
        defer { offset += 1 }
        return Search.numbered(offset, value)
      }
    }
  }

  /// A stage that publishes each value inside of an object; `makeWrapper` makes what gives the members
  /// of the objects of one subscription.
  private func wrapping(
    _ call: StageCall,
    _ makeWrapper: @escaping (Work) -> (Value) -> [JSONObject.Member]
  ) throws(Diagnostic) -> CompiledStage {
    _ = try call.arguments(unlabelled: 0)
    return call.stage(publishes: .object) {
      [number = call.number, text = call.text] (upstream, _, context) throws(EvaluationError) in
      let work = context.work
      return Stage(
        upstream: upstream,
        counter: number.counter(in: context),
        makesAll: true,
        work: work
      ) {
        let members = makeWrapper(work)
        return { (input, _) throws(PipelineFailure) in
          let value = input.value
          let object = Value.object(JSONObject(members: members(value)))
          do throws(EvaluationError) {
            try object.checkSize()
          } catch {
            throw PipelineFailure(error, stage: text, value: value)
          }
          return .publish(object)
        }
      }
      .eraseToAnyPublisher()
    }
    .countingItself
  }
}
