internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// A standing pipeline: it sends to a subject what its pipeline makes, and needs no client.
///
/// It asks the pipeline for what the subject grants, as a publication of a client would be.
final class Run: PipelineOwner {
  enum State {
    case running
    /// It has failed, and is about to be started again.
    case waiting(PipelineFailure)
    case finished
    case failed(PipelineFailure)
  }

  let name: String
  let standing: RunDefinition
  let engine: Engine
  var state = State.running
  var values = 0
  private(set) var misses: [DropReason: Int] = [:]
  /// How many of them were inside its stages when it failed.
  private var missedInside = 0
  /// When it is started again, if it is.
  private(set) var restarts: RunRestarts?
  /// What counts its stages.
  let counters: StageCounters

  /// Where values go that it has no answer for, if they go anywhere.
  private lazy var letters = standing.failed.map { DeadLetters(to: $0, of: self) }

  /// The backend, if several servers know of the run.
  var backend: (any RunBackend)?
  var publication: Publication?
  var subscriber: RunSubscriber?
  private var context: RunningContext?
  /// What it sends, for those who look on.
  var tap: Tap?
  /// What goes on in a later turn, and the end behind it.
  private var late = Fifo<Value>()
  private var goesOnLater = false
  var lateEnd: Subscribers.Completion<PipelineFailure>?
  /// The demand not yet met by values: granted by the subject, and asked of the pipeline.
  var demand = Demand.none

  /// The access of the client that defined it, as it was then; `nil` if a file defined it.
  let access: Access?

  init(name: String, standing: RunDefinition, access: Access?, engine: Engine) {
    self.access = access?.fixed
    self.name = name
    self.standing = standing
    self.engine = engine
    counters = StageCounters(count: standing.pipeline.stages.count)
    restarts = standing.restart.map { RunRestarts(after: $0, now: engine.now) }
  }

  var label: String { "run=\(name)" }

  var run: String? { name }

  /// It has no client.
  var isUnread: Bool { false }

  /// As many as its subject takes, which may lead to further runs.
  var batchRoom: Int {
    guard let publication, isRunning, !isTooDeep, !isExact else { return 0 }
    return deeper { publication.roomForBatch() }
  }

  func isOnlyWay(in search: Int) -> Bool {
    guard let publication, isRunning, !isTooDeep else { return false }
    return deeper { publication.subject.isOnlyWay(in: search) }
  }

  var readsAll: Bool {
    guard let access, access.isRestricted else { return true }
    return engine.gate(for: access).seesInside(standing.pipeline)
  }

  /// What its stages hold, and what waits for room at the subject.
  var bytes: Int {
    (context?.bytes ?? 0) + standing.pipeline.sharedBytes + (publication?.bytes ?? 0)
  }

  /// Values that wait for room at the subject.
  var held: Int { (publication?.held ?? 0) + late.count }

  /// Whether it has not ended; it may be about to be started again.
  var isRunning: Bool {
    switch state {
    case .running, .waiting: true
    case .finished, .failed: false
    }
  }

  /// Whether its pipeline runs.
  var isAtWork: Bool { if case .running = state { true } else { false } }

  /// Why it has failed, if it has.
  var failure: PipelineFailure? {
    switch state {
    case .running, .finished: nil
    case .waiting(let failure), .failed(let failure): failure
    }
  }

  /// Whether what its pipeline makes is sent on.
  var isSending: Bool { publication != nil && isRunning }

  func missed(_ count: Int, _ reason: DropReason) { misses[reason, default: 0] += count }

  func leftOut(_ leftOut: LeftOut) {
    missed(1, .failed)
    letters?.send(leftOut)
  }

  /// Sends the value that a stage with `try` has failed on where others without an answer go.
  func sendLetter(of failure: PipelineFailure) {
    if let failedOn = failure.failedOn { letters?.send(failedOn) }
  }

  /// Subscribes, or has one of the servers that know of it do so; values may flow before this returns.
  func start() {
    if let backend { backend.start() } else { begin(reading: [:]) }
  }

  /// Subscribes to its subjects, or to what stands in for them here.
  func begin(reading sources: [String: ServerSubject]) {
    guard let target = engine.registry.subject(standing.target) else {
      return end(.failed(Self.deleted(standing.target)))
    }
    let subject = target.intake
    guard target.completion == nil, !subject.takesNoMore else {
      return end(.failed(Self.completed(subject.name)))
    }
    let publication = publish(to: subject)
    let subscriber = RunSubscriber(self)
    self.subscriber = subscriber
    if let tap { subscriber.tap(tap) }
    let pipeline = standing.pipeline
    let context = RunningContext(
      pipeline,
      engine: engine,
      owner: self,
      counters: counters,
      sources: sources,
      // What comes of a value is known by it, and has to come while it is handed on.
      mayWait: !isExact
    )
    self.context = context
    standing.pipeline.publisher(in: context).subscribe(subscriber)
    if isExact {
      askMore()
    } else {
      grant(publication.firstGrant())
    }
  }

  /// Whether what it makes is stored once, wherever it runs.
  var isExact: Bool { backend?.resume == .exact }

  /// Begins to publish to its subject.
  func publish(to subject: ServerSubject) -> Publication {
    let new = Publication(
      id: 0,
      subject: subject,
      owner: self,
      limit: engine.configuration.grant,
      over: .hold,
      ownsSubject: standing.ending == .subscribe
    )
    publication = new
    subject.add(new)
    return new
  }

  /// Stops it, as DELETE does.
  func stop() {
    backend?.stop()
    restarts?.cancel()
    for (reason, count) in misses { engine.counters.countMissed(count, reason) }
    letters?.leave()
    suspend()
    let deleted = PipelineFailure(.deleted, "run \(name) was deleted")
    tap?.end(.failure(deleted), [])
    standing.pipeline.endStageTaps(.failure(deleted), [])
  }

  /// Ends it as failed; its subject goes on.
  func kill() {
    subscriber?.cancel()
    subscriber = nil
    end(.failed(Client.killed))
    let publication = publication
    self.publication = nil
    publication?.leave()
  }

  private static func deleted(_ subject: String) -> PipelineFailure {
    PipelineFailure(.deleted, "subject \(subject) was deleted")
  }

  private static func completed(_ subject: String) -> PipelineFailure {
    PipelineFailure(.completed, "subject \(subject) has completed")
  }

  // MARK: Demand

  func grant(_ count: Demand) {
    guard count != .none, let subscriber else { return }
    demand += count
    subscriber.request(count)
  }

  // MARK: What goes on in a later turn

  /// How many runs may hand on to one another in one turn: each is a part of the stack.
  private static let deepest = 8

  /// Whether what comes now has to wait: for what came before, or since runs in a row would recurse.
  var isTooDeep: Bool {
    !late.isEmpty || lateEnd != nil || engine.turn.runDepth >= Self.deepest
  }

  func wait(_ value: Value) {
    context?.charge(value.footprint)
    late.append(value)
    resumeLater()
  }

  func resumeLater() {
    guard !goesOnLater else { return }
    goesOnLater = true
    engine.timeSlice.wait { [self] in
      goesOnLater = false
      repeat {
        guard sendNext() else { return sendEnd() }
      } while !engine.timeSlice.isOver
      resumeLater()
    }
  }

  /// Sends the first of what waits; false if nothing does.
  private func sendNext() -> Bool {
    guard let value = late.popFirst() else { return false }
    context?.release(value.footprint)
    send(value)
    return true
  }

  func sendLate() {
    while sendNext() {}
    sendEnd()
  }

  private func sendEnd() {
    guard let end = lateEnd else { return }
    lateEnd = nil
    if isRunning { finishNow(end) }
  }

  /// Ends it, and its subject if that is passed the end, with an error of its own.
  func fail(_ failure: PipelineFailure) {
    subscriber?.cancel()
    subscriber = nil
    late = Fifo()
    finishNow(.failure(failure))
  }

  func letGo() {
    context?.leave(readsAll)
    context = nil
  }

  func end(_ state: State) {
    guard isRunning else { return }
    self.state = state
    demand = .none
    if case .failed = state { countInside() }
    letGo()
    let (reason, text) =
      if case .failed(let failure) = state { (failure.code, failure.message) } else { ("done", "") }
    letters?.leave()
    engine.notify(.stopped(name: name, reason: reason, text: text))
    backend?.ended(state)
    endTap()
  }

  /// Counts as missed what its stages hold.
  private func countInside() {
    let inside = standing.pipeline.figures(ofRun: counters).reduce(0) { $0 + $1.held + $1.left }
    if inside > missedInside { missed(inside - missedInside, .inside) }
    missedInside = max(missedInside, inside)
  }

  // MARK: Starting again

  /// In how many seconds it is started again, if it waits for that.
  var secondsToRestart: Int? {
    guard case .waiting = state else { return nil }
    return restarts.map { Int(($0.left(at: engine.now) + 999) / 1000) }
  }

  /// Has it started again after a while, if it is one that is, and this failure is none of a name that
  /// is gone.
  func startsAgain(after failure: PipelineFailure) -> Bool {
    guard case .running = state, failure.code != ErrorCode.deleted.rawValue,
      let wait = restarts?.wait(from: engine.now), let number = restarts?.number
    else { return false }
    state = .waiting(failure)
    demand = .none
    late = Fifo()
    lateEnd = nil
    countInside()
    letGo()
    let publication = publication
    self.publication = nil
    publication?.leave()
    let text = failure.message
    engine.notify(.restarting(name: name, reason: failure.code, text: text, wait: wait))
    let date = engine.clock.now.advanced(by: .nanoseconds(Int(wait)))
    engine.clock.schedule(after: date) { [weak self] in self?.startAgain(number) }
    return true
  }

  private func startAgain(_ number: Int) {
    guard case .waiting = state, restarts?.number == number else { return }
    restarts?.start(at: engine.now)
    standing.pipeline.forgetShared()
    state = .running
    begin(reading: [:])
  }
}

extension Run: PublicationOwner {
  /// What its publication holds counts for the run.
  var account: Account? { nil }

  func publication(_ publication: Publication, isGranted count: Int) {
    guard !isExact else { return }
    grant(.max(UInt64(count)))
  }

  /// Never happens: a run sends no more than it was granted, and holds what has no room.
  func publication(_ publication: Publication, dropped count: Int) {}

  func publication(_ publication: Publication, isCancelledFor reason: ErrorCode) {
    if held > 0 { missed(held, .inside) }
    let target = standing.target
    if reason == .away, isRunning { return goOn(after: publication) }
    subscriber?.cancel()
    subscriber = nil
    end(.failed(reason == .completed ? Self.completed(target) : Self.deleted(target)))
  }

  func publicationHasCredit(_ publication: Publication) {}

  func forget(_ publication: Publication) {
    if self.publication === publication { self.publication = nil }
  }
}
