internal import FlowCore
package import FlowLanguage
package import FlowSubjects
package import FlowWire

/// A pipeline that sends its output to a subject and needs no client.
///
/// Its demand is what the subject grants, as for a client's publication.
package final class Run: PipelineOwner {
  package enum State {
    case running
    /// It has failed and will be started again.
    case waiting(PipelineFailure)
    case finished
    case failed(PipelineFailure)
  }

  package let name: String
  package let standing: RunDefinition
  let engine: Engine
  var state = State.running
  var values = 0
  private(set) var misses: [DropReason: Int] = [:]
  /// How many values its stages held at failures.
  private var missedInside = 0
  /// Schedules the restarts, if it restarts.
  private(set) var restarts: RunRestarts?
  let counters: StageCounters

  /// Sends the values that were left out to the subject of `failed=`.
  private(set) lazy var letters = standing.failed.map { DeadLetters(to: $0, of: self) }

  /// The backend, if several servers share the run.
  @safe @exclusivity(unchecked) package var backend: (any RunBackend)?  // memory 6
  var publication: Publication?
  var subscriber: RunSubscriber?
  private var context: RunningContext?
  var tap: Tap?
  /// Values for a later turn.
  private var late = Fifo<Value>()
  private var goesOnLater = false
  var lateEnd: Subscribers.Completion<PipelineFailure>?
  /// Demand granted by the subject and not yet met by values.
  var demand = Demand.none

  /// The rights of the client that defined it, at that time; `nil` if a file did.
  let access: Access?
  /// The same as text; nil for everything.
  package var rights: String? { access?.text }

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

  var isUnread: Bool { false }

  /// Whoever defines a run has the right to make publishers wait.
  var holds: Bool { true }

  /// How many values its subject takes, which other runs may read.
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

  /// The memory of its stages, and of values and dead letters that wait for room.
  var bytes: Int {
    (context?.bytes ?? 0) + standing.pipeline.sharedBytes + (publication?.bytes ?? 0)
      + (letters?.bytes ?? 0)
  }

  var held: Int { (publication?.held ?? 0) + late.count }

  /// Whether it has not ended; it may wait for a restart.
  package var isRunning: Bool {
    switch state {
    case .running, .waiting: true
    case .finished, .failed: false
    }
  }

  var isAtWork: Bool { if case .running = state { true } else { false } }

  var failure: PipelineFailure? {
    switch state {
    case .running, .finished: nil
    case .waiting(let failure), .failed(let failure): failure
    }
  }

  var isSending: Bool { publication != nil && isRunning }

  func missed(_ count: Int, _ reason: DropReason) { misses[reason, default: 0] += count }

  func leftOut(_ leftOut: LeftOut) {
    missed(1, .failed)
    letters?.send(leftOut)
  }

  /// Sends the value that a `try…` operator failed on to the subject of `failed=`.
  func sendLetter(of failure: PipelineFailure) {
    if let failedOn = failure.failedOn { letters?.send(failedOn) }
  }

  /// Subscribes, here or on one of the servers that share it; values may come before this returns.
  func start() {
    if let backend { backend.start() } else { begin(reading: [:]) }
  }

  /// Subscribes to its subjects, or to their parts in `sources`.
  package func begin(reading sources: [String: ServerSubject]) {
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
      // An exact run must know the input of each output, so nothing may come later.
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

  /// Whether each output is stored exactly once.
  var isExact: Bool { backend?.resume == .exact }

  func publish(to subject: ServerSubject) -> Publication {
    let new = Publication(
      id: 0,
      subject: subject,
      owner: self,
      limit: engine.configuration.demand.grant,
      over: .hold,
      ownsSubject: standing.ending == .subscribe
    )
    publication = new
    subject.add(new)
    return new
  }

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

  /// Fails the run; its subject goes on.
  func kill() {
    subscriber?.cancel()
    subscriber = nil
    end(.failed(Client.killed))
    let publication = publication
    self.publication = nil
    publication?.endQuietly()
  }

  package static func deleted(_ subject: String) -> PipelineFailure {
    PipelineFailure(.deleted, "subject \(subject) was deleted")
  }

  package static func completed(_ subject: String) -> PipelineFailure {
    PipelineFailure(.completed, "subject \(subject) has completed")
  }

  func grant(_ count: Demand) {
    guard count != .none, let subscriber else { return }
    demand += count
    subscriber.request(count)
  }

  // MARK: Continuing in a later turn

  /// How many runs may pass values on in one turn, which limits the stack.
  private static let deepest = 8

  /// Whether a new value must wait, behind others or to limit the recursion.
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

  /// Sends the first waiting value; returns false if there is none.
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

  /// Ends it with an error of its own, and its subject if that follows the run's end.
  package func fail(_ failure: PipelineFailure) {
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

  /// Counts the values in its stages as missed.
  private func countInside() {
    let inside = standing.pipeline.figures(ofRun: counters).reduce(0) { $0 + $1.held + $1.left }
    if inside > missedInside { missed(inside - missedInside, .inside) }
    missedInside = max(missedInside, inside)
  }

  // MARK: Restarts

  /// Seconds until the restart, if it waits for one.
  var secondsToRestart: Int? {
    guard case .waiting = state else { return nil }
    return restarts.map { Int(($0.left(at: engine.now) + 999) / 1000) }
  }

  /// Schedules a restart, if the run restarts and the failure is not about a deleted name.
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
    publication?.endQuietly()
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
  /// The run itself counts what its publication holds.
  package var account: Account? { nil }

  package func publication(_ publication: Publication, isGranted count: Int) {
    guard !isExact else { return }
    grant(.max(UInt64(count)))
  }

  /// Never called: a run sends no more than its grant.
  package func publication(_ publication: Publication, dropped count: Int) {}

  package func publication(_ publication: Publication, isCancelledFor reason: ErrorCode) {
    if held > 0 { missed(held, .inside) }
    let target = standing.target
    if reason == .away, isRunning { return replace(publication) }
    subscriber?.cancel()
    subscriber = nil
    end(.failed(reason == .completed ? Self.completed(target) : Self.deleted(target)))
  }

  package func publicationHasCredit(_ publication: Publication) {}

  package func forget(_ publication: Publication) {
    if self.publication === publication { self.publication = nil }
  }
}
