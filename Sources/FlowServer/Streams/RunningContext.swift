internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// Whom a running pipeline serves: a stream of a client, or a run.
protocol PipelineOwner: AnyObject {
  /// Who this is, for the rows of LIST and SHOW.
  var label: String { get }
  /// The name, if it is a run.
  var run: String? { get }
  /// Whether it asks for nothing since what it sent its client is not read.
  var isUnread: Bool { get }
  /// How many values its pipeline may be given as one batch now, if all of it takes batches.
  var batchRoom: Int { get }
  /// Whether it may be told what was made of all that its pipeline reads.
  var readsAll: Bool { get }
  /// Ends it with an error of the server's.
  func fail(_ failure: PipelineFailure)
  /// Counts values that were dropped on their way.
  func missed(_ count: Int, _ reason: DropReason)
}

extension PipelineOwner {
  func fail(_ code: ErrorCode, _ message: String) { fail(PipelineFailure(code, message)) }
}

/// What a running pipeline needs of the server, and what it holds.
final class RunningContext: MemoryBudget, SubjectReader {
  private let engine: Engine
  /// `nil` once it has left; what is shared with other pipelines lives on.
  private var owner: (any PipelineOwner)?
  let counters: StageCounters?
  /// All that its pipeline names; not the pipeline, whose `share`s may hold this context.
  private let names: MentionedNames
  let work: Work
  let mayMeet: Bool
  /// What stands in for subjects of these names.
  private let sources: [String: ServerSubject]
  private var isOver = false
  /// What its owner might read when he left.
  private var didReadAll = false

  init(
    _ pipeline: Pipeline,
    engine: Engine,
    owner: any PipelineOwner,
    counters: StageCounters?,
    sources: [String: ServerSubject] = [:],
    mayWait: Bool = true
  ) {
    self.sources = sources
    names = pipeline.names
    mayMeet = owner.run != nil || !pipeline.isAlone
    self.engine = engine
    self.owner = owner
    self.counters = counters
    work = Work(engine.timeSlice, mayWait: mayWait)
    let configuration = engine.configuration
    super.init(
      bytes: configuration.holdLimit,
      innerPublishers: configuration.nestedPublisherLimit
    )
    work.memoryBudget = self
    charge(Self.cost + pipeline.price(isCounted: counters != nil))
    let steps = pipeline.stepsToOpen
    if steps > 0 { timeSlice.charge(steps) }
  }

  /// What the subscription of a client or a run takes with this, without its pipeline.
  private static let cost = 624

  /// All that its pipeline names.
  var mentions: [String] { names.all }

  /// Ends its owner towards the end of the turn: this one may be in the middle of a value.
  override func ranOver(_ failure: PipelineFailure) {
    guard owner != nil, !isOver else { return }
    isOver = true
    engine.endSoon(self, failure)
  }

  override func refusal(ofLarge count: Int) -> PipelineFailure? {
    guard engine.ledger.isShort(after: count) else { return nil }
    return PipelineFailure(.limit, engine.ledger.refusal)
  }

  func fail(_ failure: PipelineFailure) { owner?.fail(failure) }

  /// Serves nobody from now on: its owner is over.
  /// - Parameter readsAll: what its owner has said of that until now.
  func leave(_ readsAll: Bool) {
    if owner != nil { didReadAll = readsAll }
    owner = nil
  }

  func visible(_ failure: PipelineFailure) -> PipelineFailure {
    owner?.readsAll ?? didReadAll ? failure : failure.hidden
  }

  var memoryBudget: MemoryBudget { self }

  var clock: VirtualTimeScheduler { engine.clock }

  var innerPublisherLimit: Int { engine.configuration.innerPublisherLimit }

  var timeSlice: TimeSlice { engine.timeSlice }

  /// Whom it serves, until that is over.
  var served: (any PipelineOwner)? { owner }

  var label: String { owner?.label ?? "" }

  /// The name of the run that it serves, if it is one.
  var run: String? { owner?.run }

  var isUnread: Bool { owner?.isUnread ?? false }

  var batchRoom: Int { owner?.batchRoom ?? 0 }

  func subject(_ name: String, counters: StageCounters?) -> AnyPublisher<Value, PipelineFailure> {
    let known = sources.isEmpty ? nil : sources[name]
    return SubjectPublisher(
      name: name,
      known: known,
      host: engine,
      context: self,
      counters: counters
    )
    .eraseToAnyPublisher()
  }

  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable {
    engine.subjects(in: set, new: new, join)
  }

  func ask(_ name: String, _ argument: Value) -> AnyPublisher<Value, PipelineFailure> {
    CallPublisher(service: name, argument: argument, engine: engine, memoryBudget: self)
      .eraseToAnyPublisher()
  }

  func dropped(_ count: Int, _ reason: DropReason) { owner?.missed(count, reason) }

  func log(_ line: String) {
    engine.prints.write(line, of: label)
  }
}
