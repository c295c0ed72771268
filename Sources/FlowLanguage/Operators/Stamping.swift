import FlowCore

extension Compiler {
  func timestamp(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    _ = try call.arguments(unlabelled: 0)
    let (text, value, time) = (call.text, Key("value"), Key("time"))
    return call.stage(publishes: .object) {
      [number = call.number] (upstream, _, context) throws(EvaluationError) in
      let work = context.work
      return Stage(
        upstream: upstream,
        counter: number.counter(in: context),
        makesAll: true,
        work: work
      ) {
        { (input, _) throws(PipelineFailure) in
          let stamped = Value.object(
            JSONObject(members: [
              JSONObject.Member(name: value, value: input.value),
              JSONObject.Member(name: time, value: Moments.seconds(work.timeOfDay)),
            ])
          )
          do throws(EvaluationError) {
            try stamped.checkSize()
          } catch {
            throw PipelineFailure(error, stage: text, value: input.value)
          }
          return .publish(stamped)
        }
      }
      .eraseToAnyPublisher()
    }
    .countingItself
  }
}
