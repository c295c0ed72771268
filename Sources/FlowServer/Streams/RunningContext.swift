internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The owner of a running pipeline: a client's stream, or a run.
protocol PipelineOwner: AnyObject {
  /// Its name in LIST and SHOW.
  var label: String { get }
  /// Its name, if it is a run.
  var run: String? { get }
  /// The name of what it runs; `-` if that has none.
  var name: String { get }
  /// Whether it requests nothing because its client does not read.
  var isUnread: Bool { get }
  /// Whether it may make publishers of `flow=slowest` subjects wait.
  var holds: Bool { get }
  /// The largest batch that its pipeline may get now.
  var batchRoom: Int { get }
  /// Whether it may see everything that its pipeline reads.
  var readsAll: Bool { get }
  /// Ends it with an error of the server.
  func fail(_ failure: PipelineFailure)
  /// Counts dropped values.
  func missed(_ count: Int, _ reason: DropReason)
  /// Counts a value that a stage has left out.
  func leftOut(_ leftOut: LeftOut)
}

extension PipelineOwner {
  func leftOut(_ leftOut: LeftOut) { missed(1, .failed) }

  func fail(_ code: ErrorCode, _ message: String) { fail(PipelineFailure(code, message)) }
}

/// Connects a running pipeline to the server, and counts the memory it holds.
final class RunningContext: MemoryBudget, SubjectReader {
  private let engine: Engine
  /// `nil` once the owner has ended; shared parts of the pipeline live on.
  private var owner: (any PipelineOwner)?
  let counters: StageCounters?
  /// The values left out lately by all that run the pipeline.
  private let omissions: LeftOutValues
  /// The pipeline's or run's name, for events.
  private let name: String
  /// All names in its pipeline, which is not held because its `share`s may hold this.
  private let names: MentionedNames
  let work: Work
  let mayConverge: Bool
  let holds: Bool
  /// Replaces subjects, by name.
  private let sources: [String: ServerSubject]
  private var isOver = false
  /// The owner's `readsAll` when it ended.
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
    mayConverge = owner.run != nil || !pipeline.isAlone
    holds = owner.holds
    self.engine = engine
    self.owner = owner
    self.counters = counters
    omissions = pipeline.leftOut
    name = owner.name
    work = Work(engine.timeSlice, mayWait: mayWait)
    let configuration = engine.configuration
    super.init(
      bytes: configuration.pipelines.holdLimit,
      innerPublishers: configuration.pipelines.nestedPublisherLimit,
      timeSlice: engine.timeSlice
    )
    work.memoryBudget = self
    charge(Self.cost + pipeline.price(isCounted: counters != nil))
    let steps = pipeline.stepsToOpen
    if steps > 0 { timeSlice.charge(steps) }
  }

  /// The bytes that the subscription of a client or run takes with this, without its pipeline.
  private static let cost = 624

  var mentions: [String] { names.all }

  /// Ends the owner later in the turn, because a value may be passing now.
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

  /// Forgets the owner, which has ended; `readsAll` is its last value.
  func leave(_ readsAll: Bool) {
    if owner != nil { didReadAll = readsAll }
    owner = nil
  }

  func visible(_ failure: PipelineFailure) -> PipelineFailure {
    owner?.readsAll ?? didReadAll ? failure : failure.hidden
  }

  var memoryBudget: MemoryBudget { self }

  var clock: VirtualTimeScheduler { engine.clock }

  var innerPublisherLimit: Int { engine.configuration.pipelines.innerPublisherLimit }

  var timeSlice: TimeSlice { engine.timeSlice }

  /// The owner, until it ends.
  var served: (any PipelineOwner)? { owner }

  var label: String { owner?.label ?? "" }

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

  func leftOut(_ leftOut: LeftOut) {
    omissions.add(leftOut, at: engine.now)
    engine.notifyLeftOut(leftOut, by: name)
    owner?.leftOut(leftOut)
  }

  func log(_ line: String) {
    engine.prints.write(line, of: label)
  }
}
