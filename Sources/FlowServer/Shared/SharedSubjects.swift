internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

/// The subjects of a server that live in NATS JetStream, and the one link to it.
final class SharedSubjects: SubjectStore {
  // memory 3
  @safe unowned(unsafe) let engine: Engine
  let names: JetStream
  private(set) lazy var link = makeLink()
  private(set) lazy var definitions = SharedNames(self)
  /// Calls that go from server to server.
  private(set) lazy var sharedCalls = SharedCalls(self)
  /// What goes on when it is known which names there are in NATS.
  private var waitingForNames: [() -> Void] = []
  private var subjects: [String: SharedSubject] = [:]
  /// Names that NATS knows and that cannot be what they stand for here.
  private var unmade: Set<String> = []
  private var isMaking = false
  private let dialer: any NATSDialer
  /// Those that have something to do when the turn ends.
  private var busy: [SharedSubject] = []
  private var hasLeases = false
  /// How many replicas a stream has unless its definition says so, as far as this connection has shown.
  private var usualReplicas = SharedSubjects.clusterReplicas
  private static let clusterReplicas = 3
  /// Of which NATS has not heard yet.
  private var leasesGivenBack = 0
  /// Durable subscriptions that still tell NATS what is acknowledged.
  private var leaving = 0
  var counters = NATSCounters()
  /// Runs with inputs that are acknowledged when nothing is inside.
  private var unsettled: [SharedRun] = []
  /// The number in the last id of a message; no other message of this process has the same.
  var lastMessage: UInt64 = 0
  private var lastGeneration: UInt64 = 0
  /// Since when there is no connection, while there is none.
  private var awaySince: Int64?
  /// Why JetStream cannot be used though there is a connection, and since when.
  private var complaint: (text: String, since: Int64)?
  /// Whether `$events` has told of that.
  private var wasTold = false
  /// Whether the server stops: nothing more is read.
  private(set) var isStopping = false
  /// Called when nothing is left to do as the server stops.
  private var whenStopped: [() -> Void] = []

  convenience init(engine: Engine) { self.init(engine: engine, dialer: NATSSockets(engine.loop)) }

  /// Makes one that connects with `dialer`.
  init(engine: Engine, dialer: any NATSDialer) {
    self.engine = engine
    self.dialer = dialer
    let configuration = engine.configuration
    names = JetStream(prefix: configuration.natsPrefix, domain: configuration.natsDomain)
    awaySince = engine.now
  }

  private func makeLink() -> NATSLink {
    let configuration = engine.configuration
    let login: NATSLogin =
      switch configuration.natsLogin {
      case .none: .none
      case .token(let token): .token(token)
      case .user(let user, let password): .user(user, password: password)
      }
    let epoch = String(engine.loop.platform.random(), radix: 36)
    return NATSLink(
      hosts: configuration.nats,
      login: login,
      name: "flow",
      epoch: epoch,
      hears: names.end(">"),
      talks: names.talk(epoch),
      calls: names.stream(JetStream.calls),
      dialer: dialer,
      owner: self
    )
  }

  subscript(name: String) -> SharedSubject? { subjects[name] }

  /// All of them, by their names.
  var all: [SharedSubject] { subjects.values.sorted { $0.name < $1.name } }

  /// Whether NATS is there, as rows tell it.
  var state: String {
    let since = awaySince ?? complaint?.since
    return since.map { "away away=\((engine.now - $0) / 1_000_000)ms" } ?? "up"
  }

  /// Why NATS cannot be used, if that is known.
  var reason: String? { link.reason.map { "\($0)" } ?? complaint?.text }

  /// Begins to connect.
  func start() { link.start() }

  /// Makes the subject called `name`, as it is defined in NATS at this place or is to be, and begins to
  /// open its stream.
  func add(_ name: String, _ settings: SubjectSettings, at definition: UInt64?) -> SharedSubject {
    let shared = SharedSubject(name: name, settings: settings, at: definition, in: self)
    subjects[name] = shared
    engine.stores.join()
    if link.isUp { shared.linkIsUp() }
    return shared
  }

  /// Lets go of a subject of this server; its stream stays.
  func remove(_ name: String) {
    guard let shared = subjects.removeValue(forKey: name) else { return }
    shared.leave()
    engine.releaseLater(shared)
  }

  /// A number that no other consumer of this process has.
  func nextGeneration() -> UInt64 {
    lastGeneration += 1
    return lastGeneration
  }

  /// Asks NATS to make a stream with as many replicas as it has by default: three in a cluster, else one.
  ///
  /// Only the answer tells whether the servers with JetStream are a cluster: a leaf node is not one of them.
  func makeStream(
    _ request: @escaping (Int) -> JetStreamRequest,
    _ done: @escaping (NATSReply) -> Void
  ) {
    let replicas = usualReplicas
    link.request(request(replicas), within: 5 * JetStream.patience) { [weak self] reply in
      guard let self, replicas > 1, JetStreamError(reply)?.number == .notClustered else {
        return done(reply)
      }
      usualReplicas = 1
      makeStream(request, done)
    }
  }

  // MARK: Names

  /// Another server, or this one, has put a definition of `name` into NATS, or has deleted it.
  func heard(_ name: String, _ entry: SharedNames.Entry) {
    unmade.remove(name)
    subjects[name]?.heard(entry)
    run(name)?.heard(entry)
    if entry.line != nil, subjects[name] == nil, run(name) == nil { make(name, entry) }
  }

  private func run(_ name: String) -> SharedRun? { engine.registry.run(name)?.shared }

  private func make(_ name: String, _ entry: SharedNames.Entry) {
    guard let line = entry.line else { return }
    do throws(DefinitionError) {
      try engine.define(name, line, at: entry.sequence, in: self)
      unmade.remove(name)
    } catch {
      if unmade.insert(name).inserted {
        engine.log(
          .warning,
          "refused",
          "\(name) of NATS is not to be had: \(error.message)",
          [.text("name", name)]
        )
      }
    }
  }

  func delete(_ name: String, _ done: @escaping (DefinitionError?) -> Void) {
    guard let entry = definitions[name] else { return done(nil) }
    let end = { [self] (isDone: Bool) in done(isDone ? nil : unanswered(name)) }
    let deleteName = { [definitions] in
      definitions.delete(name, at: entry.sequence, isSame: { _ in true }, end)
    }
    guard case .subject? = (try? TaggedCommand(entry.line ?? ""))?.command else {
      let text = RunEntry(text: entry.line ?? "")
      let consumers = SharedRun.consumers(of: name, text.was ?? entry.sequence)
      for subject in subjects.values { subject.deleteConsumers(like: consumers) }
      return deleteName()
    }
    link.request(names.delete(name)) { reply in
      let error = JetStreamError(reply)
      if error == nil || error?.number == .streamNotFound { deleteName() } else { end(false) }
    }
  }

  /// Something is defined here that what is not to be had may have lacked.
  func makeWhatIsUnmade() {
    guard !unmade.isEmpty, !isMaking else { return }
    isMaking = true
    engine.nextTurn { [weak self] in
      guard let self else { return }
      isMaking = false
      for name in unmade { if let entry = definitions[name] { make(name, entry) } }
    }
  }

  /// Makes what NATS knows as `name`, which this server has had something else for.
  func nameIsFree(_ name: String) {
    guard let entry = definitions[name] else { return }
    heard(name, entry)
  }

  /// A subject was deleted: runs that read it, or send to it, fail, wherever they are.
  func isDeleted(_ name: String) {
    for run in runs
    where run.standing.target == name || run.standing.pipeline.subjects.contains(name) {
      run.shared?.isDeleted(subject: name)
    }
  }

  /// What the stream of names has is known: what it lacks is put there again.
  func namesAreRead() {
    for shared in subjects.values where definitions[shared.name] == nil { shared.claimAgain() }
    for run in runs where definitions[run.name] == nil { run.shared?.claimAgain() }
    let waiting = waitingForNames
    waitingForNames.removeAll()
    for goOn in waiting { goOn() }
  }

  /// Calls `goOn` when it is known which names there are in NATS, also if the link is lost before.
  func whenNamesAreKnown(_ goOn: @escaping () -> Void) {
    if definitions.isRead { goOn() } else { waitingForNames.append(goOn) }
  }

  /// What is said of a name that this server does not know, as long as NATS may know it.
  func mayBeKnown(_ name: String) -> DefinitionError? {
    guard !definitions.isRead else { return nil }
    let text = "\(silence); it may know \"\(name)\", this server alone does not"
    return DefinitionError(.away, text)
  }

  /// What is said when NATS has not answered, with the reason if that is known.
  var silence: String { "NATS has not answered" + (reason.map { ": \($0)" } ?? "") }

  /// JetStream has made the stream of names, or refuses it; a refusal is reported once it lasts, since a NATS that
  /// has just started may not be ready.
  func namesAreMade(_ error: JetStreamError?) {
    guard let text = error.flatMap(complaint(about:)) else {
      guard error == nil, let since = complaint?.since else { return }
      complaint = nil
      if wasTold { engine.notify(.natsBack(milliseconds: (now - since) / 1_000_000)) }
      wasTold = false
      return
    }
    let since = complaint?.since ?? now
    complaint = (text, since)
    guard now - since >= Self.patience, !wasTold else { return }
    wasTold = true
    engine.notify(.natsAway(text: text))
  }

  private func complaint(about error: JetStreamError) -> String? {
    guard error.isWithoutJetStream else {
      guard error.code > 0, error.number != .notAvailable else { return nil }
      return "NATS refuses the stream of names: \(error)"
    }
    guard let domain = engine.configuration.natsDomain else {
      // A NATS that has just started may not answer yet.
      if link.info?.hasJetStream == true { return nil }
      return
        "this NATS has no JetStream; start nats-server with -js, or, if it is a leaf node, write"
        + " set nats-domain with the JetStream domain of its cluster"
    }
    return "NATS has no JetStream domain \(domain), which set nats-domain names"
  }

  /// The stream of names was lost with all that it had.
  func namesAreLost() {
    for shared in subjects.values { shared.claimAgain() }
    for run in runs { run.shared?.claimAgain() }
  }

  /// Runs of which several servers know.
  var runs: [Run] { engine.registry.runs.filter { $0.shared != nil } }

  // MARK: Leases

  /// Tells whether the stream of leases is there; it is made when it is needed.
  func leases(_ done: @escaping (Bool) -> Void) {
    guard !hasLeases else { return done(true) }
    makeStream(names.createLeases) { [weak self] reply in
      guard let self else { return }
      let error = JetStreamError(reply)
      hasLeases = error == nil || error?.number == .nameInUse
      done(hasLeases)
    }
  }

  /// The stream of leases has not answered.
  func leasesMayBeGone() { hasLeases = false }

  /// Asks `run` at the end of the next turns whether nothing is inside.
  func watch(_ run: SharedRun) { unsettled.append(run) }

  // MARK: The turn

  /// Has `shared` send what there is to send when the turn ends.
  func scheduleEndOfTurn(_ shared: SharedSubject) {
    busy.append(shared)
    engine.turn.hasStoreWork = true
  }

  func endTurn() {
    let now = busy
    busy.removeAll(keepingCapacity: true)
    for shared in now { shared.endTurn() }
    sharedCalls.endTurn()
    let runs = unsettled
    unsettled.removeAll()
    for run in runs { run.settleIfQuiet() }
    if !whenStopped.isEmpty { stopIfIdle() }
  }

  // MARK: The end

  /// Stores what clients have sent, and deletes the consumers of this server, so that nobody waits
  /// for them; then calls `done`.
  func stop(_ done: @escaping () -> Void) {
    isStopping = true
    guard link.isUp else { return done() }
    whenStopped.append(done)
    guard whenStopped.count == 1 else { return }
    definitions.stop()
    sharedCalls.stop()
    for run in runs { run.shared?.stop() }
    for shared in subjects.values { for durable in shared.durables.values { durable.stop() } }
    for shared in subjects.values { shared.inlet.close { [weak self] in self?.stopIfIdle() } }
    after(Self.patience) { [weak self] in self?.tellStopped() }
    stopIfIdle()
  }

  /// How long that may take, in nanoseconds.
  private static let patience: Int64 = 3_000_000_000

  /// A lease is given back; the server does not stop before NATS has heard it.
  func give(back sequence: UInt64) {
    leasesGivenBack += 1
    link.request(names.deleteMessage(at: sequence, of: JetStream.leases)) { [weak self] _ in
      guard let self else { return }
      leasesGivenBack -= 1
      if !whenStopped.isEmpty { stopIfIdle() }
    }
  }

  /// A durable subscription is about to give its lease back, or has done so.
  func isLeaving(_ isLeaving: Bool) {
    leaving += isLeaving ? 1 : -1
    if !whenStopped.isEmpty { stopIfIdle() }
  }

  private func stopIfIdle() {
    guard
      !link.isUp
        || leasesGivenBack == 0 && leaving == 0
          && subjects.values.allSatisfy({ $0.outbox.count == 0 && $0.inlet.isClosed })
    else { return }
    tellStopped()
  }

  private func tellStopped() {
    let stopped = whenStopped
    whenStopped = []
    for done in stopped { done() }
  }

  /// Ends at once, as the server goes.
  func end() { link.stop() }
}

extension SharedSubjects: NATSLinkOwner {
  var now: Int64 { engine.now }

  func after(_ nanoseconds: Int64, _ work: @escaping () -> Void) {
    let date = engine.clock.now.advanced(by: .nanoseconds(Int(nanoseconds)))
    engine.clock.schedule(after: date, work)
  }

  func linkIsUp() {
    if let since = awaySince {
      engine.notify(.natsBack(milliseconds: (now - since) / 1_000_000))
    }
    counters.connections += 1
    awaySince = nil
    wasTold = false
    usualReplicas = Self.clusterReplicas
    definitions.linkIsUp()
    for shared in subjects.values {
      shared.linkIsUp()
      for durable in shared.durables.values { durable.linkIsUp() }
    }
    for run in runs { run.shared?.linkIsUp() }
    sharedCalls.linkIsUp()
  }

  func linkIsAway(_ reason: NATSError) {
    let event = ServerEvent.natsAway(text: "\(reason)")
    // Each reason is logged, and subscribers are told once.
    wasTold ? engine.log(event) : engine.notify(event)
    wasTold = true
    awaySince = awaySince ?? now
    complaint = nil
    definitions.linkIsAway()
    hasLeases = false
    for shared in subjects.values { shared.linkIsAway() }
    sharedCalls.linkIsAway()
  }

  func linkNotes(_ text: String) { engine.log(.info, "nats-says", text) }

  func linkHears(_ subject: String, from reply: String, _ payload: UnsafeRawBufferPointer) {
    unsafe sharedCalls.hear(subject, from: reply, payload)
  }

  func linkBrings(_ call: NATSValue) { sharedCalls.bring(call) }

  func linkHears(_ subject: String) {
    if subject == names.removals { return definitions.readAgain() }
    for shared in subjects.values where names.end(shared.name) == subject { shared.hasEnded() }
  }
}
