internal import FlowCore
internal import FlowLanguage

/// What a pipeline that runs for one stream needs of the server.
final class StreamContext: PipelineContext {
  private let engine: Engine
  weak var stream: Stream?

  init(engine: Engine) { self.engine = engine }

  var clock: VirtualTimeScheduler { engine.clock }

  /// Which stream of which client this is, for the rows of LIST and SHOW.
  var owner: String { stream.map { "client=\($0.client.id) id=\($0.id)" } ?? "" }

  func subject(_ name: String) -> AnyPublisher<Value, PipelineFailure> {
    SubjectPublisher(name: name, engine: engine, context: self).eraseToAnyPublisher()
  }

  func dropped(_ count: Int, _ reason: DropReason) { stream?.missed(count, reason) }

  func log(_ line: String) { engine.log(line) }
}
