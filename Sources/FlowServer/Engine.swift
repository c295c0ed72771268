internal import FlowCore
internal import FlowFiles
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

/// Everything one event loop owns: the clock, the named things and the clients.
///
/// A turn of the loop reads what has come in and runs it, then lets the subjects that got room go
/// on and publishers know of it, then sends what there is to send.
///
/// It keeps all that it owns, which may therefore refer to it unowned. What the loop has of it, a
/// listener, a connection's client or a hook of the turn, refers to it unowned as well; so the
/// `Server` ends the engine on the loop's queue before it lets go of it. Nothing that each turn needs
/// refers to it weakly: that would make every reference to it a slow one.
final class Engine: @unchecked Sendable {  // touched only on `loop.queue`
  let loop: EventLoop
  let clock: VirtualTimeScheduler
  // memory 6: touched on the queue only.
  @safe @exclusivity(unchecked) private(set) var configuration: Configuration
  /// The configuration where no file says otherwise.
  private var ownConfiguration: Configuration
  /// The names that files have defined.
  var namesOfFiles: Set<String> = []
  private var settingsOfFiles: Set<Setting> = []
  let log: @Sendable (String) -> Void
  let registry: Registry
  let counters = Counters()
  let activity = Activity()
  private(set) lazy var events = EventFeed(engine: self)
  private(set) lazy var stats = StatsFeed(engine: self)
  private(set) lazy var prints = PrintLog(engine: self)
  /// How long pipelines may go on in a turn.
  private(set) lazy var timeSlice = makePace()
  /// How many runs are handing on what they make of what another of them does.
  var runDepth = 0
  /// When it began, on its clock.
  let started: Int64
  let services = Services()
  /// The tokens that clients may say.
  let tokens: TokenBook
  var lockouts = Lockouts()
  /// What is held, and by whom.
  private(set) lazy var ledger = Ledger(engine: self)

  /// The values of one read that go to a subject together.
  let batch = ValueBatch()

  /// What a client is told first.
  private(set) lazy var greeting = makeGreeting()

  private(set) var clients: [Int: Client] = [:]
  private(set) var listeners: [Listener] = []
  private var nextClient = 1
  private var turnedAway = RejectedConnections()
  private var isStopping = false
  private lazy var idleWatch = IdleWatch(engine: self)
  private var whenEmpty: [@Sendable () -> Void] = []

  /// Clients that were written values in this turn: their streams may have room again once sent.
  // memory 6: touched on the queue only, as the lists below.
  @safe @exclusivity(unchecked) private var written = TurnList<Client>()
  @safe @exclusivity(unchecked) private var ending = TurnList<Client>()
  /// Subjects that may hand out values or grants now.
  @safe @exclusivity(unchecked) private var open = TurnList<ServerSubject>()
  @safe @exclusivity(unchecked) private var resuming = TurnList<ServerSubject>()
  /// Whether something has happened that is still to be told.
  var hasEvents = false
  /// What is to be done in a turn of its own, so that what else is ready comes first.
  private var upcoming: [() -> Void] = []
  /// Running pipelines that hold more than they may.
  private var overdrawn: [(context: RunningContext, failure: PipelineFailure)] = []
  /// How often something was left for such a turn, or until bytes are sent.
  var postponed = 0
  /// Whether what is due has yet to be run in this turn.
  private var mayRunDue = false
  /// Kept until the end of the turn, since a loop further up may still hold them unretained.
  @safe @exclusivity(unchecked) private var deferredReleases: [AnyObject] = []

  /// Makes an engine; its clock shows the time of `platform`, unless a test holds `clock`.
  init(
    configuration: Configuration,
    platform: any Platform,
    clock: VirtualTimeScheduler?,
    log: @escaping @Sendable (String) -> Void
  ) {
    loop = EventLoop(label: "flow.engine", platform: platform)
    loop.threads = configuration.threads
    self.configuration = configuration
    ownConfiguration = configuration
    tokens = TokenBook(configuration)
    // A line of the log is one line, whoever has written what is in it.
    self.log = { log(FrameWriter.oneLine($0)) }
    registry = Registry(limits: configuration.limits)
    let isReal = clock == nil
    self.clock = clock ?? VirtualTimeScheduler(now: .init(nanoseconds: Int64(clamping: loop.now)))
    started = self.clock.now.nanoseconds
    // memory 3
    loop.turnWillStart = { [unowned(unsafe) self] in unsafe beginTurn(movesClock: isReal) }
    if isReal {
      loop.nextDeadline = { [unowned(unsafe) self] in
        unsafe self.clock.nextDeadline.map { UInt64(clamping: $0.nanoseconds) }
      }
    }
    loop.turnWillEnd = { [unowned(unsafe) self] in unsafe endTurn() }
    registry.own = [events.subject, stats.subject]
  }

  var now: Int64 { clock.now.nanoseconds }

  /// The clients that are there now, first come first: what is done to all of them is done in order.
  var clientsInOrder: [Client] { clients.values.sorted { $0.id < $1.id } }

  /// Uses `settings`, and the values the server was made with for all others; for what is opened
  /// from now on.
  ///
  /// - Returns: whether that is a change.
  func configure(_ settings: [Setting]) -> Bool {
    defer { settingsOfFiles = Set(settings) }
    configuration = ownConfiguration
    for setting in settings { configuration.set(setting) }
    ledger.limit = configuration.memory
    timeSlice.limit = UInt64(configuration.slice)
    timeSlice.mostSteps = configuration.mostSteps
    greeting = makeGreeting()
    registry.limits = configuration.limits
    return settingsOfFiles != Set(settings)
  }

  /// Takes `new` tokens from now on, and ends the connections of those that are no longer good.
  ///
  /// - Returns: how many that were.
  func replaceTokens(_ new: [Token]) -> Int {
    let places = tokens.replace(by: new)
    greeting = makeGreeting()
    var count = 0
    for client in clientsInOrder where !client.followTokens(places) {
      count += 1
      client.bye(.revoked, "the token has been removed, or allows less than before")
    }
    return count
  }

  /// What files are checked against where they set nothing.
  var ownLimits: NameLimits { ownConfiguration.limits }

  private func makeGreeting() -> [UInt8] {
    let greeting = Greeting(
      product: "flow/\(flowVersion)",
      longestLine: configuration.lineLimit,
      largestValue: configuration.valueLimit,
      needsToken: tokens.isNeeded
    )
    return ServerLine.greeting(greeting).bytes
  }

  // MARK: Connections

  func listen(on address: SocketAddress) throws(TransportError) -> SocketAddress {
    let listener = try loop.listen(
      on: address,
      farewell: RejectedConnections.farewell,
      turnedAway: { [unowned self] in connectionRejected() },
      accept: { [unowned self] in accept($0) }
    )
    listeners.append(listener)
    return listener.address
  }

  private func connectionRejected() {
    counters.count("BYE", ErrorCode.limit.rawValue)
    if let line = turnedAway.add(at: now) { log(line) }
  }

  private func accept(_ connection: Connection) {
    guard !isStopping, clients.count < configuration.connectionLimit, !ledger.isFull else {
      let code: ErrorCode = isStopping ? .shutdown : .limit
      counters.count("BYE", code.rawValue)
      connection.append(
        ServerLine.bye(code: code.rawValue, text: "no more connections are accepted").bytes
      )
      connection.closeAfterFlush()
      return
    }
    let client = Client(id: nextClient, connection: connection, engine: self)
    nextClient += 1
    counters.connections += 1
    clients[client.id] = client
    connection.handler = client
    client.greet()
    notify(.connected(client: client.id, peer: connection.peer.description))
    idleWatch.begin()
  }

  func remove(_ client: Client) {
    guard clients.removeValue(forKey: client.id) != nil else { return }
    notify(.closed(client: client.id, reason: client.farewell))
    deferredReleases.append(client)
    if isStopping { letWorkersGo() }
    if clients.isEmpty { notifyEmpty() }
  }

  // MARK: The turn

  /// Asks to send the client's bytes when the turn ends, and to look at what it can do then.
  func scheduleEndOfTurn(_ client: Client) { written.append(client) }

  /// Asks to let `subject` go on before the turn ends.
  func scheduleResume(_ subject: ServerSubject) { open.append(subject) }

  /// Keeps `object` until the end of the turn.
  func releaseLater(_ object: AnyObject) { deferredReleases.append(object) }

  /// Does `work` in a turn after this one.
  func nextTurn(_ work: @escaping () -> Void) {
    postponed += 1
    upcoming.append(work)
    guard upcoming.count == 1 else { return }
    loop.post { [self] in
      activity.record(.later)
      let works = upcoming
      upcoming.removeAll(keepingCapacity: true)
      for work in works { work() }
    }
  }

  private func makePace() -> TimeSlice {
    TimeSlice(
      limit: UInt64(configuration.slice),
      mostSteps: configuration.mostSteps,
      spent: { [platform = loop.platform] in platform.processorNanoseconds },
      time: { [platform = loop.platform] in platform.monotonicNanoseconds }
    ) { [unowned self] in nextTurn { [unowned self] in timeSlice.resume() } }
  }

  private func beginTurn(movesClock: Bool) {
    timeSlice.beginTurn()
    guard movesClock else { return }
    let nanoseconds = loop.now
    activity.beginTurn(at: nanoseconds)
    mayRunDue = true
    clock.show(.init(nanoseconds: Int64(clamping: nanoseconds)))
  }

  /// How often a turn lets subjects and streams go on before other sockets have theirs.
  private static let rounds = 64

  private func endTurn() {
    counters.turns += 1
    ledger.turnEnds()
    settle()
    if mayRunDue, let due = clock.nextDeadline, due <= clock.now { runDue() }
    if !deferredReleases.isEmpty { deferredReleases.removeAll(keepingCapacity: true) }
  }

  /// Runs what is due, once a turn, and what follows from it.
  ///
  /// Whoever is judged by the time, as one that says nothing or that holds others up, is so after
  /// all that waits at the sockets has been read: the process may have been stopped meanwhile.
  private func runDue() {
    mayRunDue = false
    loop.readWhatWaits()
    settle()
    activity.record(.timers)
    timeSlice.beginTurn()
    // With more due than a turn has time for, the rest comes in the next one.
    while timeSlice.step(), clock.runFirstDue() {}
    settle()
  }

  /// Lets those go on who have something to do at the end of a turn.
  private func settle() {
    var rounds = Self.rounds
    while !written.isEmpty || !open.isEmpty || hasEvents || !overdrawn.isEmpty {
      guard rounds > 0 else { return nextTurn {} }
      rounds -= 1
      if !overdrawn.isEmpty { endOverdrawn() }
      if hasEvents { events.deliver() }
      activity.record(.subjects)
      swap(&open, &resuming)
      resuming.forEach { $0.resume() }
      resuming.removeAll()
      swap(&written, &ending)
      if loop.threads > 1 { flushLarge() }
      ending.forEach { $0.endTurn() }
      ending.removeAll()
    }
  }

  /// Ends a pipeline that holds too much, with this turn.
  func endSoon(_ context: RunningContext, _ failure: PipelineFailure) {
    overdrawn.append((context, failure))
  }

  private func endOverdrawn() {
    let ending = overdrawn
    overdrawn.removeAll()
    for (context, failure) in ending { context.fail(failure) }
  }

  private func flushLarge() {
    var connections: [Connection] = []
    ending.forEach { connections.append($0.connection) }
    loop.flushLarge(connections)
  }

  // MARK: Stopping

  /// Takes no more connections, tells the present ones, and calls `done` when all are gone.
  ///
  /// What subscribers have asked for is delivered for up to `drain` nanoseconds. A second call
  /// waits for nobody.
  func stop(drain: Int64, then done: @escaping @Sendable () -> Void) {
    whenEmpty.append(done)
    guard !clients.isEmpty else {
      isStopping = true
      closeListeners()
      return notifyEmpty()
    }
    guard !isStopping else { return closeAll() }
    isStopping = true
    closeListeners()
    for client in clientsInOrder { client.drain(seconds: drain / 1_000_000_000) }
    letWorkersGo()
    clock.schedule(after: clock.now.advanced(by: .nanoseconds(Int(drain)))) { [weak self] in
      self?.closeAll()
    }
  }

  /// Whether any client has a stream open that values may still go out on.
  var hasStreams: Bool { clients.values.contains { $0.open.subscriptionCount > 0 } }

  /// While the server goes away: clients that only answer calls are needed as long as others wait.
  private func letWorkersGo() {
    guard !hasStreams else { return }
    let draining = clients.values.filter { $0.ending == .draining }
    for client in draining.sorted(by: { $0.id < $1.id }) { client.finishIfDone() }
  }

  /// Ends at once, as the server goes: from then on no socket is the engine's.
  func end() {
    isStopping = true
    closeListeners()
    for client in clientsInOrder { client.close() }
    for name in registry.names { registry.remove(name)?.end() }
  }

  /// Lets go of the loop, in a turn after the one that has ended all.
  func detach() {
    loop.turnWillStart = nil
    loop.turnWillEnd = nil
    loop.nextDeadline = nil
  }

  private func closeListeners() {
    for listener in listeners { listener.close() }
    listeners.removeAll()
  }

  private func notifyEmpty() {
    let waiting = whenEmpty
    whenEmpty.removeAll()
    for done in waiting { done() }
  }
}
