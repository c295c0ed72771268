internal import FlowCore
internal import FlowLanguage

/// Whom a running pipeline serves: a stream of a client, or a run.
protocol PipelineOwner: AnyObject {
  /// Who this is, for the rows of LIST and SHOW.
  var label: String { get }
  /// Counts values that were dropped on their way.
  func missed(_ count: Int, _ reason: DropReason)
}

/// What a running pipeline needs of the server.
final class RunningContext: PipelineContext {
  private let engine: Engine
  let holdings: Holdings
  private weak var owner: (any PipelineOwner)?
  let counters: StageCounters?

  init(engine: Engine, owner: any PipelineOwner, counters: StageCounters?) {
    self.engine = engine
    self.owner = owner
    self.counters = counters
    let configuration = engine.configuration
    holdings = Holdings(
      octets: configuration.holdLimit,
      innerPublishers: configuration.nestedPublisherLimit
    )
  }

  var clock: VirtualTimeScheduler { engine.clock }

  var innerPublisherLimit: Int { engine.configuration.innerPublisherLimit }

  var pace: Pace { engine.pace }

  var label: String { owner?.label ?? "" }

  func subject(_ name: String, counters: StageCounters?) -> AnyPublisher<Value, PipelineFailure> {
    SubjectPublisher(name: name, engine: engine, context: self, counters: counters)
      .eraseToAnyPublisher()
  }

  func ask(_ name: String, _ argument: Value) -> AnyPublisher<Value, PipelineFailure> {
    CallPublisher(service: name, argument: argument, engine: engine).eraseToAnyPublisher()
  }

  func dropped(_ count: Int, _ reason: DropReason) { owner?.missed(count, reason) }

  func log(_ line: String) { engine.log(line) }
}
