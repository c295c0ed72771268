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
  private struct Source {
    let shared: SharedSubject
    /// What is read comes here, for the run only.
    let subject: ServerSubject
    let inlet: Inlet
  }

  private enum State {
    /// The name is to be put into NATS.
    case closed
    case refused
    /// It is known to all servers.
    case open
    /// It has ended, or was deleted.
    case over
  }

  // memory 3
  @safe private unowned(unsafe) let run: Run
  @safe private unowned(unsafe) let shared: SharedSubjects
  let resume: Resume
  let why: String
  private var state = State.closed
  /// Where the stream of names has its definition, once it does.
  private(set) var definition: UInt64?
  /// What tells it from other runs of this name: the first place of its definition, 0 before.
  private var identity: UInt64 = 0
  private let line: String
  /// The rights of the client that defined it, as stored in NATS.
  private var rights: String?
  private lazy var lease = Lease(run.name, in: shared) { [weak self] in self?.leaseChanged($0) }
  private var sources: [Source] = []
  private var isDeleting = false
  private var whenOpen: [(DefinitionError?) -> Void] = []

  /// How many inputs are not acknowledged, and where the last of them is, if they may come again.
  private var open = 0
  private var lastOpen: UInt64?
  /// Those of an exact run.
  private var inputs = RunInputs()
  /// How many have come since it began here, and how large the largest was.
  private var seen = 0
  private var largest = 0
  private var whenStored: (() -> Void)?
  /// Who is told what became of the outputs.
  private lazy var outputs = Outputs(self)

  init(_ run: Run, at definition: UInt64?, in shared: SharedSubjects) {
    self.run = run
    self.shared = shared
    self.definition = definition
    rights = run.access?.text
    line = "\(Command.run(name: run.name, expression: Expression(run.standing.text)))"
    (resume, why) = Resume.kind(
      of: run.standing,
      isShared: { shared[$0] != nil },
      keeps: { if case .current = shared[$0]?.settings.kind { true } else { false } }
    )
  }

  /// What the names of its consumers begin with: those of another run of this name have another place.
  var consumers: String { Self.consumers(of: run.name, identity) }

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
  var isRefused: Bool { state == .refused }

  /// Where it runs, as rows tell it.
  var place: String { lease.isHeld ? "here" : shared.link.isUp ? "elsewhere" : "away" }

  // MARK: The name

  /// Calls `done` once all servers know of it and it reads, or with the reason why they cannot.
  func whenOpen(_ done: @escaping (DefinitionError?) -> Void) { whenOpen.append(done) }

  /// Has it known to all servers, and run by one of them.
  func start() {
    if shared.link.isUp { linkIsUp() }
  }

  func linkIsUp() {
    lease.linkIsUp()
    guard case .closed = state else { return }
    if definition != nil { return opened() }
    shared.definitions.whenRead { [weak self] in self?.look() }
  }

  /// Looks what the name stands for; where it stands for nothing, the server with the lease defines it,
  /// so that it is there to read before anybody is told.
  private func look() {
    guard case .closed = state, definition == nil else { return }
    if let entry = shared.definitions[run.name], entry.line != nil { return resolve(entry) }
    if lease.isHeld { put() } else { lease.start() }
  }

  private func put() {
    let isWanted = { [weak self] in self?.state == .closed }
    let text = RunEntry(line: line, rights: rights, was: identity > 0 ? identity : nil).text
    shared.definitions.define(run.name, text, while: isWanted) { [weak self] result in
      guard let self, case .closed = state else { return }
      switch result {
      case .success(let entry): return resolve(entry)
      case .failure(let error): if error.code == .limit { tellOpen(error) }
      }
      shared.after(1_000_000_000) { [weak self] in
        if let self, shared.link.isUp { linkIsUp() }
      }
    }
  }

  private func resolve(_ entry: SharedNames.Entry) {
    guard RunEntry(entry)?.line == line else {
      let there = FrameWriter.oneLine(entry.line ?? "")
      let text = "NATS has another definition of it: \(there)"
      state = .refused
      lease.stop()
      shared.engine.log(
        .warning,
        "refused",
        "run \(run.name): \(text)",
        [.text("kind", "run"), .text("name", run.name)]
      )
      return tellOpen(DefinitionError(.exists, text))
    }
    definition = entry.sequence
    opened()
  }

  private func opened() {
    state = .open
    if let entry = shared.definitions[run.name] { heard(entry) }
    guard case .open = state else { return tellOpen(nil) }
    lease.start()
    if lease.isHeld { begin() }
    tellWhenReading(sources[...])
  }

  private func tellWhenReading(_ left: ArraySlice<Source>) {
    guard let first = left.first else { return tellOpen(nil) }
    first.inlet.whenOpen { [weak self] in self?.tellWhenReading(left.dropFirst()) }
  }

  private func tellOpen(_ error: DefinitionError?) {
    let waiting = whenOpen
    whenOpen.removeAll()
    for done in waiting { done(error) }
  }

  /// The stream of names has lost the name.
  func claimAgain() {
    guard case .open = state else { return }
    definition = nil
    state = .closed
    if shared.link.isUp { linkIsUp() }
  }

  /// The name was defined, ended or deleted, here or elsewhere.
  func heard(_ entry: SharedNames.Entry) {
    switch state {
    case .over: if RunEntry(entry)?.line != line { run.isDeletedElsewhere() }
    case .closed: if entry.line != nil { look() }
    case .refused where entry.line == nil:
      state = .closed
      linkIsUp()
    case .refused: break
    case .open:
      guard let definition, entry.sequence >= definition, !isDeleting else { return }
      guard let known = RunEntry(entry), known.line == line else { return run.isDeletedElsewhere() }
      rights = known.rights
      identity = known.was ?? (identity > 0 ? identity : definition)
      if let end = known.end { ended(as: end) }
    }
  }

  /// It has ended, here or on another server.
  private func ended(as end: Run.State) {
    close()
    if run.isRunning { run.endElsewhere(end) }
  }

  /// Deletes it, for all servers; `done` is told why not, if so.
  func delete(_ done: @escaping (DefinitionError?) -> Void) {
    guard shared.link.isUp || state == .refused else { return done(away) }
    switch state {
    case .refused: done(nil)
    case .closed:
      // It is being defined: that comes first.
      whenOpen { [weak self] error in
        guard let self else { return }
        if error == nil || state == .refused { return delete(done) }
        // NATS had no room for it, so there is nothing to delete.
        done(error?.code == .limit ? nil : away)
      }
    case .open, .over:
      guard let last = shared.definitions[run.name], last.line != nil else { return done(nil) }
      isDeleting = true
      let isSame = { [line] (entry: SharedNames.Entry) in RunEntry(entry)?.line == line }
      shared.definitions.delete(run.name, at: last.sequence, isSame: isSame) {
        [weak self] isDeleted in
        guard let self else { return }
        isDeleting = false
        done(isDeleted ? nil : away)
      }
    }
  }

  /// A subject that it reads or sends to was deleted; where it runs it has heard of that.
  func isDeleted(subject: String) {
    guard case .open = state, !lease.isHeld, run.isRunning else { return }
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
    if case .closed = state { look() } else { begin() }
  }

  /// Reads the subjects where the run was, and runs.
  private func begin() {
    guard case .open = state, run.isRunning else { return }
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
      state = .over
      lease.stop()
    }
    // Of another definition of this name nothing is deleted.
    guard case .open = state else { return letGo() }
    let consumers = consumers
    let left = Set(run.standing.pipeline.subjects).subtracting(sources.map(\.shared.name))
    for name in left { shared[name]?.deleteConsumers(like: consumers) }
    letGo { $0.deleteConsumers(like: consumers) }
  }

  /// The run has ended here: all servers are told when its outputs are stored.
  func ended(_ state: Run.State) {
    guard case .open = self.state, let definition else { return }
    let was = identity == definition ? nil : identity
    let end = RunEntry(line: line, rights: rights, was: was, end: state).text
    // The end of its subject comes later in this turn.
    shared.engine.nextTurn { [weak self] in self?.tellEnd(end, definition) }
  }

  /// Tells all servers, when its outputs are stored, and its subject has ended if it is to.
  private func tellEnd(_ text: String, _ definition: UInt64) {
    guard case .open = state, !run.isRunning else { return }
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
    state = .over
    run.suspend()
    letGo()
    lease.stop()
    tellOpen(away)
  }

  // MARK: Inputs that come again

  /// How many inputs more may come before nothing is inside, if that is waited for.
  var room: Int { resume == .again ? Self.mostOpen - open : .max }

  /// After how many inputs it waits until nothing is inside.
  private static let mostOpen = 256

  /// Acknowledges all inputs, if nothing is inside and all that came of them is stored.
  func settleIfQuiet() {
    guard open > 0, let last = lastOpen else { return }
    guard run.isQuiet else { return shared.watch(self) }
    open = 0
    lastOpen = nil
    sources.first?.inlet.acknowledge(upTo: last)
  }

  // MARK: Inputs and outputs of an exact run

  /// How many outputs may wait until they are stored: few before it is known how large they are.
  var window: Int {
    let outputs = shared[run.standing.target]?.outbox.largest ?? 0
    let most = seen < Self.fewest ? Self.fewest : Self.mostOutputs
    return max(1, min(most, Self.mostBytes / max(outputs, largest, 1)))
  }

  /// How many are not stored.
  var unstored: Int { inputs.unstored }

  private static let fewest = 16
  private static let mostOutputs = 512
  private static let mostBytes = 4 << 20

  func comes(_ sequence: UInt64, _ count: Int) {
    guard resume == .exact else { return }
    inputs.come(sequence)
    seen += 1
    largest = max(largest, count)
  }

  func handed(_ sequence: UInt64) {
    guard resume == .again else {
      inputs.wasHanded()
      settle()
      return run.askMore()
    }
    if open == 0 { shared.watch(self) }
    open += 1
    lastOpen = sequence
  }

  /// Stores what comes of the input that is being handed on, once: a repetition is known by the input.
  func store(_ bytes: UnsafeRawBufferPointer, at target: String) {
    guard let outbox = shared[target]?.outbox else { return }
    guard let input = inputs.current else {
      // Nothing is to be lost in silence, should a stage ever keep a value back.
      return run.fail(.upstream, "an output came when its value had been handed on already")
    }
    let id = "\(run.name).\(identity).\(input)"
    guard unsafe outbox.put(bytes, id: id, by: outputs) else {
      return run.fail(.valueTooLong, "a value is too long for NATS")
    }
    inputs.addOutput()
  }

  /// Acknowledges the inputs all of whose outputs are stored.
  private func settle() {
    if let last = inputs.takeSettled() { sources.first?.inlet.acknowledge(upTo: last) }
  }

  private func kept(_ count: Int) {
    inputs.store(count)
    settle()
    run.askMore()
    if inputs.unstored == 0 { whenStored.take()?() }
  }

  /// Outputs may not be stored: they come again where the run goes on, here or elsewhere.
  private func notKept() {
    whenStored = nil
    if case .open = state { run.isNotOver() }
    suspend()
    lease.stop()
    if case .open = state { lease.start() }
  }

  /// What hears of outputs since the run began here, and of none from before.
  private final class Outputs: ValueSender {
    weak var run: SharedRun?

    init(_ run: SharedRun) { self.run = run }

    func kept(_ count: Int, at sequence: UInt64?) { run?.kept(count) }

    func notKept(_ count: Int, _ reason: ErrorCode) { run?.notKept() }
  }
}
