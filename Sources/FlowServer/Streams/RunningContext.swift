internal import FlowCore
internal import FlowLanguage

/// Whom a running pipeline serves: a stream of a client, or a run.
protocol PipelineOwner: AnyObject {
  /// Who this is, for the rows of LIST and SHOW.
  var label: String { get }
  /// Whether it asks for nothing since what it sent its client is not read.
  var isUnread: Bool { get }
  /// Counts values that were dropped on their way.
  func missed(_ count: Int, _ reason: DropReason)
}

/// What a running pipeline needs of the server, and what it holds.
final class RunningContext: Holdings, PipelineContext {
  private let engine: Engine
  /// `nil` once it has left; what is shared with other pipelines lives on.
  private var owner: (any PipelineOwner)?
  let counters: StageCounters?

  init(engine: Engine, owner: any PipelineOwner, counters: StageCounters?) {
    self.engine = engine
    self.owner = owner
    self.counters = counters
    let configuration = engine.configuration
    super.init(
      octets: configuration.holdLimit,
      innerPublishers: configuration.nestedPublisherLimit
    )
  }

  /// Serves nobody from now on: its owner is over.
  func leave() { owner = nil }

  var holdings: Holdings { self }

  var clock: VirtualTimeScheduler { engine.clock }

  var innerPublisherLimit: Int { engine.configuration.innerPublisherLimit }

  var pace: Pace { engine.pace }

  var label: String { owner?.label ?? "" }

  var isUnread: Bool { owner?.isUnread ?? false }

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
