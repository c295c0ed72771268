internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

/// A run that several servers share and one carries out.
///
/// All servers know its name through NATS. The holder of the lease runs it, and reads its subjects
/// through consumers that keep their positions when the run moves.
final class SharedRun: InletReader, RunBackend {
  /// A subject in NATS that the run reads.
  struct Source {
    let shared: SharedSubject
    /// Publishes the values for this run only.
    let subject: ServerSubject
    let inlet: Inlet
  }

  // memory 3
  @safe unowned(unsafe) let run: Run
  @safe unowned(unsafe) let shared: SharedSubjects
  let resume: Resume
  let why: String
  private(set) var state: SharedRunState
  private lazy var lease = Lease(run.name, in: shared) { [weak self] in self?.leaseChanged($0) }
  private(set) var sources: [Source] = []
  private let whenOpen = Waiters<DefinitionError?>()

  /// How many inputs are unacknowledged.
  var open = 0
  var lastOpen: UInt64?
  /// The inputs of an exact run.
  var inputs = RunInputs()
  /// How many inputs have come since it began here, and the size of the largest.
  var seen = 0
  var largest = 0
  var whenStored: (() -> Void)?
  private(set) lazy var outputs = Outputs(of: self, .value)
  private(set) lazy var letters = Outputs(of: self, .letter)

  init(_ run: Run, at definition: UInt64?, in shared: SharedSubjects) {
    self.run = run
    self.shared = shared
    state = SharedRunState(
      line: "\(Self.command(of: run))",
      rights: run.rights,
      definedAt: definition
    )
    (resume, why) = Resume.kind(
      of: run.standing,
      isShared: { shared[$0] != nil },
      keeps: { if case .current = shared[$0]?.settings.kind { true } else { false } }
    )
  }

  private static func command(of run: Run) -> Command {
    let standing = run.standing
    return .run(
      name: run.name,
      expression: Expression(standing.text),
      failed: standing.failed
    )
  }

  /// The prefix of its consumers' names, with the definition's sequence.
  var consumers: String { Self.consumers(of: run.name, state.identity) }

  var definition: UInt64? { state.definition }

  static func consumers(of name: String, _ identity: UInt64) -> String {
    "r-\(JetStream.token(name))-\(identity)-"
  }

  /// How long a definition may take, in nanoseconds; a dead server's lease must expire first.
  var patience: Int64 { 15_000_000_000 }

  var isHeld: Bool { lease.isHeld }

  var acknowledges: Bool { resume != .fresh }

  var last: UInt64 { 0 }

  var acknowledged: UInt64 { 0 }

  var holdsUp: Bool { false }

  var takesAtOnce: Bool { resume == .exact }

  var isRefused: Bool { state.phase == .refused }

  var place: String { lease.isHeld ? "here" : shared.link.isUp ? "elsewhere" : "away" }

  func whenOpen(_ done: @escaping (DefinitionError?) -> Void) { whenOpen.add(done) }

  func start() {
    if shared.link.isUp { linkIsUp() }
  }

  func linkIsUp() {
    lease.linkIsUp()
    perform(state.linkIsUp(shared.definitions[run.name]))
  }

  /// Defines the name again, because the names stream has lost it.
  func claimAgain() { perform(state.nameIsLost(isUp: shared.link.isUp)) }

  func heard(_ entry: SharedNames.Entry) { perform(state.heard(entry, isHeld: isHeld)) }

  private func namesAreRead() {
    perform(state.namesAreRead(shared.definitions[run.name], isHeld: isHeld))
  }

  private func perform(_ steps: [SharedRunState.Step]) { for step in steps { perform(step) } }

  private func perform(_ step: SharedRunState.Step) {
    switch step {
    case .readNames: shared.definitions.whenRead { [weak self] _ in self?.namesAreRead() }
    case .define(let text):
      let isWanted = { [weak self] in self?.state.phase == .closed }
      shared.definitions.define(run.name, text, while: isWanted) { [weak self] result in
        guard let self else { return }
        perform(state.defined(result))
      }
    case .startLease: lease.start()
    case .stopLease: lease.stop()
    case .begin:
      if isHeld { begin() }
      notifyWhenReading(sources[...])
    case .notifyWaiting(let error): whenOpen.answer(error)
    case .reportRefusal(let text):
      shared.engine.log(
        .warning,
        "refused",
        "run \(run.name): \(text)",
        [.text("kind", "run"), .text("name", run.name)]
      )
      whenOpen.answer(DefinitionError(.exists, text))
    case .retryLater:
      shared.after(1_000_000_000) { [weak self] in
        if let self, shared.link.isUp { linkIsUp() }
      }
    case .remove: run.isDeletedElsewhere()
    case .end(let end):
      close()
      if run.isRunning { run.endElsewhere(end) }
    }
  }

  private func notifyWhenReading(_ left: ArraySlice<Source>) {
    guard let first = left.first else { return whenOpen.answer(nil) }
    first.inlet.whenOpen { [weak self] in self?.notifyWhenReading(left.dropFirst()) }
  }

  func delete(_ done: @escaping (DefinitionError?) -> Void) {
    guard shared.link.isUp || isRefused else { return done(away) }
    switch state.phase {
    case .refused: done(nil)
    case .closed:
      // The definition in progress must finish first.
      whenOpen { [weak self] error in
        guard let self else { return }
        if error == nil || isRefused { return delete(done) }
        // NATS had no room for the definition, so there is nothing to delete.
        done(error?.code == .limit ? nil : away)
      }
    case .open, .over:
      guard let last = shared.definitions[run.name], last.line != nil else { return done(nil) }
      state.isDeleting = true
      let line = state.line
      let matches = { (entry: SharedNames.Entry) in RunEntry(entry)?.line == line }
      shared.definitions.delete(run.name, at: last.sequence, matching: matches) {
        [weak self] isDone in
        guard let self else { return }
        state.isDeleting = false
        done(isDone ? nil : away)
      }
    }
  }

  /// Fails the run, because a subject that it uses was deleted.
  ///
  /// Where it runs it fails by itself, unless the subject is that of `failed`.
  func subjectIsDeleted(_ subject: String) {
    guard state.isOpen, run.isRunning, !isHeld || subject == run.standing.failed else { return }
    run.fail(Run.deleted(subject))
  }

  var away: DefinitionError {
    DefinitionError(
      .away,
      "\(shared.silence); \(run.name) may or may not have been defined or deleted"
    )
  }

  private func leaseChanged(_ isHeld: Bool) {
    if !isHeld || sources.isEmpty {
      shared.engine.notify(.lease(name: run.name, isHeld: isHeld))
    }
    guard isHeld else {
      // A run that has ended must still store its outputs and report its end.
      if run.isRunning { suspend() }
      return
    }
    if state.phase == .closed { namesAreRead() } else { begin() }
  }

  /// Starts the run at its stored positions.
  private func begin() {
    guard state.isOpen, run.isRunning else { return }
    guard sources.isEmpty else { return sources.forEach { $0.inlet.resume() } }
    for name in run.standing.pipeline.subjects
    where !sources.contains(where: { $0.shared.name == name }) {
      guard let subject = shared[name] else { continue }
      var settings = subject.settings
      settings.kind = .passthrough
      let own = ServerSubject(name: name, settings: settings, host: shared.engine)
      own.backend = subject
      let inlet = Inlet(subject, into: own, for: self)
      sources.append(Source(shared: subject, subject: own, inlet: inlet))
      subject.add(inlet)
    }
    let own = Dictionary(uniqueKeysWithValues: sources.map { ($0.shared.name, $0.subject) })
    run.begin(reading: own)
    for source in sources { source.shared.scheduleEndOfTurn() }
  }

  /// Stops, because another server may run it now.
  private func suspend() {
    run.suspend()
    letGo()
  }

  /// Stops reading, and keeps the consumers.
  private func letGo(_ done: @escaping (SharedSubject) -> Void = { _ in }) {
    whenStored = nil
    let old = sources
    sources = []
    inputs = RunInputs()
    (seen, largest) = (0, 0)
    open = 0
    lastOpen = nil
    outputs.run = nil
    letters.run = nil
    outputs = Outputs(of: self, .value)
    letters = Outputs(of: self, .letter)
    for source in old {
      source.shared.remove(source.inlet)
      source.inlet.leave { done(source.shared) }
      shared.engine.releaseLater(source.inlet)
      shared.engine.releaseLater(source.subject)
    }
  }

  /// Closes the run for all servers, because it has ended or was deleted.
  func close() {
    defer {
      state.close()
      lease.stop()
    }
    // A different definition of this name keeps its consumers.
    guard state.isOpen else { return letGo() }
    let consumers = consumers
    let left = Set(run.standing.pipeline.subjects).subtracting(sources.map(\.shared.name))
    for name in left { shared[name]?.deleteConsumers(like: consumers) }
    letGo { $0.deleteConsumers(like: consumers) }
  }

  /// Reports the end to all servers, once its outputs are stored.
  func ended(_ end: Run.State) {
    guard case .open(let definition) = state.phase else { return }
    let text = state.text(ofEnd: end)
    // The subject ends later in this turn.
    shared.engine.nextTurn { [weak self] in self?.tellEnd(text, definition) }
  }

  /// Reports the end once outputs and dead letters are stored and the subject has ended, if it must.
  private func tellEnd(_ text: String, _ definition: UInt64) {
    guard state.isOpen, !run.isRunning else { return }
    let again = { [weak self] in
      guard let self else { return }
      shared.after(250_000_000) { [weak self] in self?.tellEnd(text, definition) }
    }
    if inputs.unstored > 0 {
      whenStored = again
      return
    }
    if !run.lettersAreStored { return again() }
    if run.standing.ending == .subscribe, !sources.isEmpty,
      let target = shared[run.standing.target],
      target.intake.completion == nil || target.outbox.end.isUnderWay
    {
      return again()
    }
    shared.definitions.replace(run.name, at: definition, text) { [weak self] isDone in
      if isDone { self?.close() } else { again() }
    }
  }

  func stop() {
    state.close()
    run.suspend()
    letGo()
    lease.stop()
    whenOpen.answer(away)
  }

  /// Gives up the lease; outputs that may not be stored are made again where the run continues.
  func yieldLease() {
    if state.isOpen { run.isNotOver() }
    suspend()
    lease.stop()
    if state.isOpen { lease.start() }
  }
}
