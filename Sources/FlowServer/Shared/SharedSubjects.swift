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
  let whenNamesAreKnown = Waiters<Void>()
  private(set) var subjects: [String: SharedSubject] = [:]
  var undefinable = UndefinableNames()
  private let dialer: any NATSDialer
  /// Those that have something to do when the turn ends.
  private var busy: [SharedSubject] = []
  private var hasLeases = false
  /// How many replicas a stream has unless its definition says so, as far as this connection has shown.
  private var usualReplicas = SharedSubjects.clusterReplicas
  private static let clusterReplicas = 3
  /// Returned leases, and last acknowledgements of durable subscriptions, that NATS has not confirmed.
  private var unconfirmed = 0
  var counters = NATSCounters()
  /// Runs with inputs that are acknowledged when nothing is inside.
  private var unsettled: [SharedRun] = []
  /// The number in the last id of a message; no other message of this process has the same.
  var lastMessage: UInt64 = 0
  private var lastGeneration: UInt64 = 0
  var health: NATSHealth
  /// Whether the server stops: nothing more is read.
  private(set) var isStopping = false
  /// Called when nothing is left to do as the server stops.
  private let whenStopped = Waiters<Void>()

  convenience init(engine: Engine) { self.init(engine: engine, dialer: NATSSockets(engine.loop)) }

  /// Makes one that connects with `dialer`.
  init(engine: Engine, dialer: any NATSDialer) {
    self.engine = engine
    self.dialer = dialer
    let configuration = engine.configuration
    names = JetStream(prefix: configuration.natsPrefix, domain: configuration.natsDomain)
    health = NATSHealth(now: engine.now)
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

  /// Whether NATS can be used, as rows show it.
  var state: String { health.text(now) }

  /// The reason why NATS cannot be used, if it is known.
  var reason: String? { link.reason.map { "\($0)" } ?? health.complaint }

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
    stopIfIdle()
  }

  // MARK: The end

  /// Stores what clients have sent, and deletes the consumers of this server, so that nobody waits
  /// for them; then calls `done`.
  func stop(_ done: @escaping () -> Void) {
    isStopping = true
    guard link.isUp else { return done() }
    whenStopped.add { _ in done() }
    guard whenStopped.count == 1 else { return }
    definitions.stop()
    sharedCalls.stop()
    for run in runs { run.shared?.stop() }
    for shared in subjects.values { for durable in shared.durables.values { durable.stop() } }
    for shared in subjects.values { shared.inlet.close { [weak self] in self?.stopIfIdle() } }
    after(Self.patience) { [weak self] in self?.whenStopped.answer(()) }
    stopIfIdle()
  }

  /// How long that may take, in nanoseconds.
  private static let patience: Int64 = 3_000_000_000

  /// A lease is given back; the server does not stop before NATS has heard it.
  func give(back sequence: UInt64) {
    unconfirmed += 1
    link.request(names.deleteMessage(at: sequence, of: JetStream.leases)) { [weak self] _ in
      self?.isLeaving(false)
    }
  }

  /// A durable subscription is about to give its lease back, or has done so.
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
    if let event = health.linkIsUp(now) { engine.notify(event) }
    counters.connections += 1
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
    if health.linkIsAway(now) { engine.notify(event) } else { engine.log(event) }
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
