internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// A run of which several servers know, and which one of them carries out.
///
/// All have it by its name in NATS; whoever gets the lease runs it, and reads its subjects through
/// consumers of the run's own, which stay where they are when it moves.
final class SharedRun: InletReader, RunBackend {
  /// A subject in NATS as the run reads it.
  struct Source {
    let shared: SharedSubject
    /// What is read comes here, for the run only.
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

  /// How many inputs are not acknowledged, and where the last of them is, if they may come again.
  var open = 0
  var lastOpen: UInt64?
  /// Those of an exact run.
  var inputs = RunInputs()
  /// How many have come since it began here, and how large the largest was.
  var seen = 0
  var largest = 0
  var whenStored: (() -> Void)?
  /// Who is told what became of the outputs.
  private(set) lazy var outputs = Outputs(self)

  init(_ run: Run, at definition: UInt64?, in shared: SharedSubjects) {
    self.run = run
    self.shared = shared
    state = SharedRunState(
      line: "\(Command.run(name: run.name, expression: Expression(run.standing.text)))",
      rights: run.access?.text,
      definedAt: definition
    )
    (resume, why) = Resume.kind(
      of: run.standing,
      isShared: { shared[$0] != nil },
      keeps: { if case .current = shared[$0]?.settings.kind { true } else { false } }
    )
  }

  /// What the names of its consumers begin with: those of another run of this name have another place.
  var consumers: String { Self.consumers(of: run.name, state.identity) }

  /// The sequence of the definition in the names stream, once it is stored there.
  var definition: UInt64? { state.definition }

  static func consumers(of name: String, _ identity: UInt64) -> String {
    "r-\(JetStream.token(name))-\(identity)-"
  }

  /// How long it may take until it is known to all, in nanoseconds: a server that died may have had one
  /// of this name, whose lease ends 10 s later.
  var patience: Int64 { 15_000_000_000 }

  var isHeld: Bool { lease.isHeld }

  var acknowledges: Bool { resume != .fresh }

  var last: UInt64 { 0 }

  var acknowledged: UInt64 { 0 }

  var holdsUp: Bool { false }

  var takesAtOnce: Bool { resume == .exact }

  /// Whether NATS has another thing of this name.
  var isRefused: Bool { state.phase == .refused }

  /// Where it runs, as rows tell it.
  var place: String { lease.isHeld ? "here" : shared.link.isUp ? "elsewhere" : "away" }

  // MARK: The name

  /// Calls `done` once all servers know of it and it reads, or with the reason why they cannot.
  func whenOpen(_ done: @escaping (DefinitionError?) -> Void) { whenOpen.add(done) }

  /// Has it known to all servers, and run by one of them.
  func start() {
    if shared.link.isUp { linkIsUp() }
  }

  func linkIsUp() {
    lease.linkIsUp()
    perform(state.linkIsUp(shared.definitions[run.name]))
  }

  /// The stream of names has lost the name.
  func claimAgain() { perform(state.nameIsLost(isUp: shared.link.isUp)) }

  /// The name was defined, ended or deleted, here or elsewhere.
  func heard(_ entry: SharedNames.Entry) { perform(state.heard(entry, isHeld: isHeld)) }

  private func look() {
    perform(state.namesAreRead(shared.definitions[run.name], isHeld: isHeld))
  }

  private func perform(_ steps: [SharedRunState.Step]) { for step in steps { perform(step) } }

  private func perform(_ step: SharedRunState.Step) {
    switch step {
    case .readNames: shared.definitions.whenRead { [weak self] _ in self?.look() }
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

  /// Deletes it, for all servers; `done` is told why not, if so.
  func delete(_ done: @escaping (DefinitionError?) -> Void) {
    guard shared.link.isUp || isRefused else { return done(away) }
    switch state.phase {
    case .refused: done(nil)
    case .closed:
      // It is being defined: that comes first.
      whenOpen { [weak self] error in
        guard let self else { return }
        if error == nil || isRefused { return delete(done) }
        // NATS had no room for it, so there is nothing to delete.
        done(error?.code == .limit ? nil : away)
      }
    case .open, .over:
      guard let last = shared.definitions[run.name], last.line != nil else { return done(nil) }
      state.isDeleting = true
      let line = state.line
      let matches = { (entry: SharedNames.Entry) in RunEntry(entry)?.line == line }
      shared.definitions.delete(run.name, at: last.sequence, matching: matches) {
        [weak self] isDeleted in
        guard let self else { return }
        state.isDeleting = false
        done(isDeleted ? nil : away)
      }
    }
  }

  /// A subject that it reads or sends to was deleted; where it runs it has heard of that.
  func isDeleted(subject: String) {
    guard state.isOpen, !isHeld, run.isRunning else { return }
    run.end(.failed(PipelineFailure(.deleted, "subject \(subject) was deleted")))
  }

  var away: DefinitionError {
    DefinitionError(
      .away,
      "\(shared.silence); \(run.name) may or may not have been defined or deleted"
    )
  }

  // MARK: The lease

  private func leaseChanged(_ isHeld: Bool) {
    if !isHeld || sources.isEmpty {
      shared.engine.notify(.lease(name: run.name, isHeld: isHeld))
    }
    guard isHeld else {
      // One that has ended is still to store its outputs, and to tell so.
      if run.isRunning { suspend() }
      return
    }
    if state.phase == .closed { look() } else { begin() }
  }

  /// Reads the subjects where the run was, and runs.
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

  /// Another server runs it from now on, or may do so.
  private func suspend() {
    run.suspend()
    letGo()
  }

  /// Stops reading; its consumers stay.
  private func letGo(_ done: @escaping (SharedSubject) -> Void = { _ in }) {
    whenStored = nil
    let old = sources
    sources = []
    inputs = RunInputs()
    (seen, largest) = (0, 0)
    open = 0
    lastOpen = nil
    outputs.run = nil
    outputs = Outputs(self)
    for source in old {
      source.shared.remove(source.inlet)
      source.inlet.leave { done(source.shared) }
      shared.engine.releaseLater(source.inlet)
      shared.engine.releaseLater(source.subject)
    }
  }

  /// Runs no more, on any server: it has ended or was deleted.
  func close() {
    defer {
      state.close()
      lease.stop()
    }
    // Of another definition of this name nothing is deleted.
    guard state.isOpen else { return letGo() }
    let consumers = consumers
    let left = Set(run.standing.pipeline.subjects).subtracting(sources.map(\.shared.name))
    for name in left { shared[name]?.deleteConsumers(like: consumers) }
    letGo { $0.deleteConsumers(like: consumers) }
  }

  /// The run has ended here: all servers are told when its outputs are stored.
  func ended(_ end: Run.State) {
    guard case .open(let definition) = state.phase else { return }
    let text = state.text(ofEnd: end)
    // The end of its subject comes later in this turn.
    shared.engine.nextTurn { [weak self] in self?.tellEnd(text, definition) }
  }

  /// Tells all servers, when its outputs are stored, and its subject has ended if it is to.
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

  /// Stops it here, so that another server can go on at once.
  func stop() {
    state.close()
    run.suspend()
    letGo()
    lease.stop()
    whenOpen.answer(away)
  }

  /// Outputs may not be stored: they come again where the run goes on, here or elsewhere.
  func yieldLease() {
    if state.isOpen { run.isNotOver() }
    suspend()
    lease.stop()
    if state.isOpen { lease.start() }
  }
}
