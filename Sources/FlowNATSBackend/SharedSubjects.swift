internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

/// The subjects of a server that live in NATS JetStream, and the connection to it.
final class SharedSubjects: SubjectStore {
  // memory 3
  @safe unowned(unsafe) let engine: Engine
  let names: JetStream
  private(set) lazy var link = makeLink()
  private(set) lazy var definitions = SharedNames(self)
  /// Exchanges calls with other servers.
  private(set) lazy var sharedCalls = SharedCalls(self)
  let whenNamesAreKnown = Waiters<Void>()
  private(set) var subjects: [String: SharedSubject] = [:]
  var undefinable = UndefinableNames()
  private let dialer: any NATSDialer
  /// Subjects with work at the end of the turn.
  private var busy: [SharedSubject] = []
  /// The streams of Flow's own that are there, as far as this connection has shown.
  private var ownStreams: Set<String> = []
  /// How many replicas a stream has unless its definition says so, as far as this connection has shown.
  private var usualReplicas = SharedSubjects.clusterReplicas
  private static let clusterReplicas = 3
  /// Released leases and last acknowledgements that NATS has not confirmed.
  private var unconfirmed = 0
  var counters = NATSCounters()
  /// Runs whose inputs are acknowledged when their stages are empty.
  private var unsettled: [SharedRun] = []
  /// The number in the last message id, unique in this process.
  var lastMessage: UInt64 = 0
  private var lastGeneration: UInt64 = 0
  var health: NATSHealth
  private(set) var isStopping = false
  /// Answered when nothing is left to do before the stop.
  private let whenStopped = Waiters<Void>()

  convenience init(engine: Engine) { self.init(engine: engine, dialer: NATSSockets(engine.loop)) }

  init(engine: Engine, dialer: any NATSDialer) {
    self.engine = engine
    self.dialer = dialer
    let configuration = engine.configuration
    names = JetStream(prefix: configuration.nats.prefix, domain: configuration.nats.domain)
    health = NATSHealth(now: engine.now)
  }

  private func makeLink() -> NATSLink {
    let configuration = engine.configuration
    let login: NATSLogin =
      switch configuration.nats.login {
      case .none: .none
      case .token(let token): .token(token)
      case .user(let user, let password): .user(user, password: password)
      }
    let epoch = String(engine.loop.platform.random(), radix: 36)
    return NATSLink(
      hosts: configuration.nats.servers,
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

  var all: [SharedSubject] { subjects.values.sorted { $0.name < $1.name } }

  var state: String { health.text(now) }

  var reason: String? { link.reason.map { "\($0)" } ?? health.complaint }

  func start() { link.start() }

  /// Makes a subject and opens its stream; `definition` is its sequence, if stored.
  func add(_ name: String, _ settings: SubjectSettings, at definition: UInt64?) -> SharedSubject {
    let shared = SharedSubject(name: name, settings: settings, at: definition, in: self)
    subjects[name] = shared
    if Self.isUsed(in: engine.configuration) { start() }
    if link.isUp { shared.linkIsUp() }
    return shared
  }

  /// Removes a subject from this server; its stream stays.
  func remove(_ name: String) {
    guard let shared = subjects.removeValue(forKey: name) else { return }
    shared.leave()
    engine.releaseLater(shared)
  }

  /// Returns a number that no other consumer of this process has.
  func nextGeneration() -> UInt64 {
    lastGeneration += 1
    return lastGeneration
  }

  /// Makes a stream with the default replicas: three in a cluster, else one.
  ///
  /// Only NATS's answer tells whether its JetStream servers form a cluster; leaf nodes do not
  /// count.
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

  var runs: [Run] { engine.runs.filter { $0.shared != nil } }

  // MARK: Streams of Flow's own

  func hasStream(_ name: String) -> Bool { ownStreams.contains(name) }

  /// Tells whether a stream of Flow's own is there; it is made when it is needed.
  func openStream(
    _ name: String,
    _ request: @escaping (Int) -> JetStreamRequest,
    _ done: @escaping (Bool) -> Void
  ) {
    guard !hasStream(name) else { return done(true) }
    makeStream(request) { [weak self] reply in
      guard let self else { return }
      let error = JetStreamError(reply)
      if error == nil || error?.number == .nameInUse { ownStreams.insert(name) }
      done(hasStream(name))
    }
  }

  /// A stream of Flow's own has not answered.
  func streamMayBeGone(_ name: String) { ownStreams.remove(name) }

  /// Checks at the end of each turn whether the run's stages are empty.
  func watch(_ run: SharedRun) { unsettled.append(run) }

  func scheduleEndOfTurn(_ shared: SharedSubject) {
    busy.append(shared)
    engine.scheduleStoreWork()
  }

  func endTurn() {
    let now = busy
    busy.removeAll(keepingCapacity: true)
    for shared in now { shared.endTurn() }
    sharedCalls.endTurn()
    let runs = unsettled
    unsettled.removeAll()
    for run in runs { run.settleIfQuiet() }
    stopIfIdle()
  }

  /// Stores what clients have sent, deletes this server's consumers, then calls `done`.
  func stop(_ done: @escaping () -> Void) {
    isStopping = true
    guard link.isUp else { return done() }
    whenStopped.add { _ in done() }
    guard whenStopped.count == 1 else { return }
    definitions.stop()
    sharedCalls.stop()
    for run in runs { run.shared?.stop() }
    for shared in all { for durable in shared.allDurables { durable.stop() } }
    for shared in all { shared.inlet.close { [weak self] in self?.stopIfIdle() } }
    after(Self.patience) { [weak self] in self?.whenStopped.answer(()) }
    stopIfIdle()
  }

  /// How long that may take, in nanoseconds.
  private static let patience: Int64 = 3_000_000_000

  /// Releases a lease; the server does not stop before NATS confirms that.
  func give(back sequence: UInt64) {
    unconfirmed += 1
    link.request(names.deleteMessage(at: sequence, of: JetStream.leases)) { [weak self] _ in
      self?.isLeaving(false)
    }
  }

  /// Counts durable subscriptions that are releasing their leases.
  func isLeaving(_ isLeaving: Bool) {
    unconfirmed += isLeaving ? 1 : -1
    stopIfIdle()
  }

  private func stopIfIdle() {
    guard !whenStopped.isEmpty,
      !link.isUp
        || unconfirmed == 0
          && subjects.values.allSatisfy({ $0.outbox.count == 0 && $0.inlet.isClosed })
    else { return }
    whenStopped.answer(())
  }

  func end() { link.stop() }
}

extension SharedSubjects: NATSLinkOwner {
  var now: Int64 { engine.now }

  func after(_ nanoseconds: Int64, _ work: @escaping () -> Void) {
    let date = engine.clock.now.advanced(by: .nanoseconds(Int(nanoseconds)))
    engine.clock.schedule(after: date, work)
  }

  func linkIsUp() {
    if let event = health.linkIsUp(now) { engine.notify(event) }
    counters.connections += 1
    usualReplicas = Self.clusterReplicas
    definitions.linkIsUp()
    for shared in all {
      shared.linkIsUp()
      for durable in shared.allDurables { durable.linkIsUp() }
    }
    for run in runs { run.shared?.linkIsUp() }
    sharedCalls.linkIsUp()
  }

  func linkIsAway(_ reason: NATSError) {
    let event = ServerEvent.natsAway(text: "\(reason)")
    // Each reason is logged, but subscribers are told once.
    if health.linkIsAway(now) { engine.notify(event) } else { engine.log(event) }
    definitions.linkIsAway()
    ownStreams.removeAll()
    for shared in all { shared.linkIsAway() }
    sharedCalls.linkIsAway()
  }

  func linkNotes(_ text: String) { engine.log(.info, "nats-says", text) }

  func linkHears(_ subject: String, from reply: String, _ payload: UnsafeRawBufferPointer) {
    unsafe sharedCalls.hear(subject, from: reply, payload)
  }

  func linkBrings(_ call: NATSValue) { sharedCalls.bring(call) }

  func linkHears(_ subject: String) {
    if subject == names.removals { return definitions.readAgain() }
    for shared in subjects.values where names.end(shared.name) == subject {
      shared.streamHasEnded()
    }
  }
}
