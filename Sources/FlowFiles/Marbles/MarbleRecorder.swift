internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects

/// What has come out for a row, tick by tick, and what was lost on the way.
final class MarbleRecorder: SubjectReader {
  let clock: VirtualTimeScheduler
  let innerPublisherLimit: Int
  /// Nobody else waits for a turn, but what takes too many steps in one is stopped.
  let timeSlice: TimeSlice
  let work: Work
  let memoryBudget = MemoryBudget()
  private let tick: Int
  private let host: SceneHost
  private let services: MarbleServices
  private let budget: StepBudget
  /// Who hears what its stages do, if it is tried.
  private let tape: TapeRecorder?
  /// What bounds it where a pipeline is tried.
  private let bounds: TapeRecorder?
  private(set) var ticks: [[Marble]] = []
  private(set) var drops = 0
  /// Why it failed, if it did.
  private(set) var failure: PipelineFailure?

  /// The last value that was left out, if one was.
  private(set) var lastLeftOut: LeftOut?
  /// Takes the values that were left out, if they go anywhere.
  var letters: ((LeftOut) -> Void)?

  /// The row's name.
  let label: String

  init(
    _ label: String,
    tick: Int,
    host: SceneHost,
    services: MarbleServices,
    innerPublisherLimit: Int,
    recordedBy tape: TapeRecorder?
  ) {
    let budget = StepBudget { tape?.isOutOfTime ?? false }
    self.budget = budget
    timeSlice = TimeSlice(
      limit: StepBudget.looks,
      mostSteps: tape?.mostWork ?? 0,
      spent: budget.look,
      calendar: { [clock = host.clock] in clock.now.nanoseconds },
      askForTurn: budget.exhaust
    )
    bounds = tape
    self.tape = tape?.name == label ? tape : nil
    work = Work(timeSlice)
    self.label = label
    clock = host.clock
    self.innerPublisherLimit = innerPublisherLimit
    self.tick = tick
    self.host = host
    self.services = services
  }

  /// Whether its sources have taken more steps than a test may have.
  var isExhausted: Bool { budget.isExhausted }

  func record(_ value: Value) {
    if let bounds { bounds.keep(unsafe value.withBytes { $0.count }) }
    record(Marble(value))
  }

  func record(_ completion: Subscribers.Completion<PipelineFailure>) {
    switch completion {
    case .finished: record(Marble.finished)
    case .failure(let failure):
      self.failure = failure
      record(Marble.failure)
    }
  }

  private func record(_ marble: Marble) {
    let now = Int(clock.now.nanoseconds) / tick
    while ticks.count <= now { ticks.append([]) }
    ticks[now].append(marble)
  }

  // MARK: SubjectReader

  var run: String? { nil }

  /// What comes is read at once.
  var isUnread: Bool { false }

  var holds: Bool { true }

  var batchRoom: Int { .max }

  var mayConverge: Bool { true }

  func subject(_ name: String, counters: StageCounters?) -> AnyPublisher<Value, PipelineFailure> {
    let reader: any SubjectReader = tape?.reading.map { TapeReader(self, for: $0) } ?? self
    return SubjectPublisher(name: name, host: host, context: reader, counters: counters)
      .eraseToAnyPublisher()
  }

  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable {
    host.subjects(in: set, new: new, join)
  }

  func ask(_ name: String, _ argument: Value) -> AnyPublisher<Value, PipelineFailure> {
    services.answer(name, argument)
  }

  func dropped(_ count: Int, _ reason: DropReason) {
    drops += count
    tape?.dropped(count)
  }

  func leftOut(_ leftOut: LeftOut) {
    lastLeftOut = leftOut
    dropped(1, .failed)
    letters?(leftOut)
  }

  var counters: StageCounters? { tape?.counters }

  var recorder: StageRecorder? { tape?.stages }

  func log(_ line: String) {}
}

/// The subscriber of a pipeline, who asks as his row says.
final class MarbleReading: Subscriber {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private let recorder: MarbleRecorder
  private var subscription: (any Subscription)?
  private var first: [Marble] = []
  private var isOver = false

  init(_ recorder: MarbleRecorder) { self.recorder = recorder }

  /// Subscribes; what is asked for `first` is there before a value can be, as with a sink.
  func subscribe(to publisher: AnyPublisher<Value, PipelineFailure>, asking first: [Marble]) {
    self.first = first
    publisher.subscribe(self)
  }

  func receive(subscription: any Subscription) {
    guard !isOver else { return subscription.cancel() }
    self.subscription = subscription
    for marble in first { play(marble) }
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    if !isOver { recorder.record(input) }
    return .none
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    guard !isOver else { return }
    isOver = true
    recorder.record(completion)
  }

  func play(_ marble: Marble) {
    switch marble {
    case .demand(let count): subscription?.request(count.map { .max($0) } ?? .unlimited)
    case .cancel: cancel()
    case .value, .finished, .failure, .absent: break
    }
  }

  func cancel() {
    isOver = true
    subscription?.cancel()
    subscription = nil
  }
}
