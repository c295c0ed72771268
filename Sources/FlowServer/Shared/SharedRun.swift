internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// A run of which several servers know, and which one of them carries out.
///
/// All have it by its name in NATS; whoever gets the lease runs it, and reads its subjects through
/// consumers of the run's own, which stay where they are when it moves.
final class SharedRun {
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
  private lazy var lease = Lease(run.name, in: shared) { [weak self] in self?.leaseChanged($0) }
  private var sources: [Source] = []
  private var isDeleting = false
  private var whenOpen: [(DefinitionError?) -> Void] = []

  /// How many inputs are not acknowledged, and where the last of them is, if they may come again.
  private var open = 0
  private var last: [UInt8]?
  /// Those of an exact run.
  private var inputs = RunInputs()
  private var whenStored: (() -> Void)?
  /// Who is told what became of the outputs.
  private lazy var outputs = Outputs(self)

  init(_ run: Run, at definition: UInt64?, in shared: SharedSubjects) {
    self.run = run
    self.shared = shared
    self.definition = definition
    (resume, why) = Resume.kind(
      of: run.standing,
      isShared: { shared[$0] != nil },
      keeps: { if case .current = shared[$0]?.settings.kind { true } else { false } }
    )
  }

  /// What the names of its consumers begin with: those of another run of this name have another place.
  var consumers: String { "r-\(run.name)-\(definition ?? 0)-" }

  /// Whether it may read: nobody else does.
  var isHeld: Bool { lease.isHeld }

  /// Where it runs, as rows tell it.
  var place: String { lease.isHeld ? "here" : shared.link.isUp ? "elsewhere" : "away" }

  private var line: String {
    "\(Command.run(name: run.name, expression: Expression(run.standing.text)))"
  }

  // MARK: The name

  /// Calls `done` once all servers know of it, or with the reason why they cannot.
  func whenOpen(_ done: @escaping (DefinitionError?) -> Void) { whenOpen.append(done) }

  /// Has it known to all servers, and run by one of them.
  func start() {
    if shared.link.isUp { linkIsUp() }
  }

  func linkIsUp() {
    guard case .closed = state else { return }
    guard definition == nil else { return opened() }
    shared.definitions.define(run.name, line) { [weak self] entry in
      guard let self, case .closed = state else { return }
      guard let entry, let there = entry.line else { return askLater() }
      guard there.split(separator: "\n").first.map(String.init) == line else {
        let text = "NATS has another definition of it: \(FrameWriter.oneLine(there))"
        state = .refused
        shared.engine.log("run \(run.name): \(text)")
        return tellOpen(DefinitionError(.exists, text))
      }
      definition = entry.sequence
      opened()
    }
  }

  private func askLater() {
    shared.after(1_000_000_000) { [weak self] in
      if let self, shared.link.isUp { linkIsUp() }
    }
  }

  private func opened() {
    state = .open
    tellOpen(nil)
    if let entry = shared.definitions[run.name] { heard(entry) }
    if case .open = state { lease.start() }
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
    guard let definition, entry.sequence >= definition, !isDeleting else {
      if case .refused = state, entry.line == nil {
        state = .closed
        linkIsUp()
      }
      return
    }
    let parts = entry.line?.split(separator: "\n", maxSplits: 1) ?? []
    guard parts.first.map(String.init) == line else { return run.isDeletedElsewhere() }
    guard parts.count > 1, run.isRunning else { return }
    let words = parts[1].split(separator: " ", maxSplits: 2).map(String.init)
    close()
    if words.first == "fail" {
      let text = words.count > 2 ? words[2] : ""
      let code = words.count > 1 ? words[1] : ErrorCode.upstream.rawValue
      run.endElsewhere(.failed(PipelineFailure(code: code, message: text)))
    } else {
      run.endElsewhere(.finished)
    }
  }

  /// Deletes it, for all servers; `done` is told why not, if so.
  func delete(_ done: @escaping (DefinitionError?) -> Void) {
    guard let definition, state != .refused else { return done(nil) }
    guard shared.link.isUp else { return done(away) }
    isDeleting = true
    let last = shared.definitions[run.name]?.sequence ?? definition
    shared.definitions.delete(run.name, at: last) { [weak self] isDeleted in
      guard let self else { return }
      isDeleting = false
      done(isDeleted ? nil : away)
    }
  }

  var away: DefinitionError {
    let reason = shared.link.reason.map { ": \($0)" } ?? ""
    return DefinitionError(
      .away,
      "NATS has not answered\(reason); \(run.name) may or may not have been defined or deleted"
    )
  }

  // MARK: The lease

  private func leaseChanged(_ isHeld: Bool) {
    shared.engine.notify(.lease(name: run.name, isHeld: isHeld))
    if isHeld { begin() } else { suspend() }
  }

  /// Reads the subjects where the run was, and runs.
  private func begin() {
    guard case .open = state, run.isRunning, sources.isEmpty else { return }
    for name in run.standing.pipeline.subjects
    where !sources.contains(where: { $0.shared.name == name }) {
      guard let subject = shared[name] else { continue }
      var settings = subject.settings
      settings.kind = .passthrough
      let own = ServerSubject(name: name, settings: settings, host: shared.engine)
      let inlet = Inlet(subject, into: own, of: self)
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
    let old = sources
    sources = []
    inputs = RunInputs()
    open = 0
    last = nil
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
    var end = "done"
    if case .failed(let failure) = state {
      end = "fail \(failure.code) \(FrameWriter.oneLine(failure.message))"
    }
    let text = "\(line)\n\(end)"
    if inputs.unstored == 0 {
      tellEnd(text, definition)
    } else {
      whenStored = { [weak self] in self?.tellEnd(text, definition) }
    }
  }

  private func tellEnd(_ text: String, _ definition: UInt64) {
    guard case .open = state else { return }
    shared.definitions.replace(run.name, at: definition, text) { [weak self] isDone in
      guard let self else { return }
      if isDone { return close() }
      shared.after(1_000_000_000) { [weak self] in self?.tellEnd(text, definition) }
    }
  }

  /// Stops it here, so that another server can go on at once.
  func stop() {
    run.suspend()
    letGo()
    lease.stop()
  }

  // MARK: Inputs that come again

  /// How many inputs more may come before nothing is inside, if that is waited for.
  var room: Int { resume == .again ? Self.mostOpen - open : .max }

  /// After how many inputs it waits until nothing is inside.
  private static let mostOpen = 256

  /// Acknowledges all inputs, if nothing is inside and all that came of them is stored.
  func settleIfQuiet() {
    guard open > 0, let last else { return }
    guard run.isQuiet else { return shared.watch(self) }
    open = 0
    self.last = nil
    sources.first?.inlet.acknowledge(upTo: last)
  }

  // MARK: Inputs and outputs of an exact run

  /// How many outputs may wait until they are stored.
  static let window = 512

  /// An input comes, which is handed on next, or when those before it are.
  func comes(_ sequence: UInt64) { inputs.come(sequence) }

  /// The next input is with the pipeline.
  func handed(_ ack: [UInt8]) {
    guard resume == .again else {
      inputs.wasHanded(ack)
      return settle()
    }
    if open == 0 { shared.watch(self) }
    open += 1
    last = ack
  }

  /// Stores what comes of the input that is being handed on, once: a repetition is known by the input.
  func store(_ bytes: UnsafeRawBufferPointer, at target: String) {
    guard let definition, let input = inputs.current, let outbox = shared[target]?.outbox else {
      return
    }
    let id = "\(run.name).\(definition).\(input)"
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
    run.outputsAreStored(count)
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
