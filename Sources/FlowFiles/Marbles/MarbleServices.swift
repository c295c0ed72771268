internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The services of a test, each with what it has been asked.
final class MarbleServices {
  private var services: [String: (closure: ServiceClosure, recorder: MarbleRecorder)] = [:]

  func add(_ name: String, _ closure: ServiceClosure, _ recorder: MarbleRecorder) {
    services[name] = (closure, recorder)
  }

  /// Forgets all; they and their recorders know each other.
  func clear() { services = [:] }

  /// The answer to a call, which is made with the subscription.
  func answer(_ name: String, _ argument: Value) -> AnyPublisher<Value, PipelineFailure> {
    guard let (closure, recorder) = services[name] else {
      let message =
        "nothing answers ask(\(name), …) in this test; add a row: serve \(name) { Just($0) }"
      return .failing(PipelineFailure(.unknownName, message))
    }
    return Deferred {
      recorder.record(argument)
      return closure.answer(to: argument, in: recorder)
    }.eraseToAnyPublisher()
  }
}
