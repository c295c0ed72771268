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
  /// Whether the clock shows the time of the machine; a test may hold it.
  private let isReal: Bool
  // memory 6: touched on the queue only.
  @safe @exclusivity(unchecked) private(set) var configuration: Configuration
  var files: FilesInUse
  let eventLog: EventLog
  let registry: Registry
  let counters = Counters()
  let activity = Activity()
  private(set) lazy var ownSubjects = OwnSubjects(engine: self)
  private(set) lazy var prints = PrintLog(engine: self)
  private(set) lazy var watch = Watch(engine: self)
  /// The page's own addresses.
  private(set) lazy var web = WebDoor(engine: self)
  /// How long pipelines may go on in a turn.
  private(set) lazy var timeSlice = makePace()
  /// When it began, on its clock.
  let started: Int64
  /// When that was, in milliseconds since 1970: it tells this server from the one before it.
  let startedAt: Int
  let services = Services()
  /// Where subjects live that are not only in this server's memory.
  private(set) lazy var stores = SubjectStores(engine: self)
  /// The tokens that clients may say.
  let tokens: TokenBook
  /// What is held, and by whom.
  private(set) lazy var ledger = Ledger(engine: self)

  @safe @exclusivity(unchecked) var recentCommands = RecentCommands()

  /// Where lines are written before they go out.
  @safe @exclusivity(unchecked) private var scratch: [UInt8] = []

  /// The values of one read that go to a subject together.
  let batch = ValueBatch()

  @safe @exclusivity(unchecked) var searches = 0

  /// What a client is told first.
  private(set) lazy var greeting = makeGreeting(needsToken: tokens.isNeeded)
  /// What one is told first that needs no token.
  private(set) lazy var freeGreeting = makeGreeting(needsToken: false)

  private(set) lazy var clients = ConnectedClients(engine: self)
  // memory 6: touched on the queue only.
  @safe @exclusivity(unchecked) var turn = EngineTurn()
  var leftOutEvents = LeftOutEvents()

  /// Makes an engine; its clock shows the time of `platform`, unless a test holds `clock`.
  init(
    configuration: Configuration,
    platform: any Platform,
    clock: VirtualTimeScheduler?,
    log: EventLog
  ) {
    loop = EventLoop(label: "flow.engine", platform: platform)
    loop.threads = configuration.threads
    self.configuration = configuration
    files = FilesInUse(beside: configuration)
    tokens = TokenBook(configuration)
    eventLog = log
    registry = Registry(limits: configuration.limits)
    isReal = clock == nil
    self.clock = clock ?? VirtualTimeScheduler(now: .init(nanoseconds: Int64(clamping: loop.now)))
    started = self.clock.now.nanoseconds
    startedAt = Int(clamping: platform.calendarNanoseconds / 1_000_000)
    // memory 3
    loop.turnWillStart = { [unowned(unsafe) self, isReal] in unsafe beginTurn(movesClock: isReal) }
    if isReal {
      loop.nextDeadline = { [unowned(unsafe) self] in
        unsafe self.clock.nextDeadline.map { UInt64(clamping: $0.nanoseconds) }
      }
    }
    loop.turnWillEnd = { [unowned(unsafe) self] in unsafe endTurn() }
    registry.own = ownSubjects.all
  }

  var now: Int64 { clock.now.nanoseconds }

  /// Uses `settings`, and the values the server was made with for all others; for what is opened
  /// from now on.
  ///
  /// - Returns: whether that is a change.
  func configure(_ settings: [Setting]) -> Bool {
    let isChange = Set(settings) != Set(files.settings)
    files.settings = settings
    configuration = files.configuration
    ledger.limit = configuration.memory
    timeSlice.limit = UInt64(configuration.slice)
    timeSlice.mostSteps = configuration.mostSteps
    renewGreetings()
    registry.limits = configuration.limits
    return isChange
  }

  /// Takes `new` tokens from now on, and ends the connections of those that are no longer good.
  ///
  /// - Returns: how many that were.
  func replaceTokens(_ new: [Token]) -> Int {
    let places = tokens.replace(by: new)
    renewGreetings()
    web.follow(places)
    var count = 0
    for client in clients.inOrder where !client.followTokens(places) {
      count += 1
      client.bye(.revoked, "the token has been removed, or allows less than before")
    }
    return count
  }

  /// Writes lines for a connection.
  @inline(__always)
  @discardableResult
  func write(to connection: Connection, _ lines: (inout [UInt8]) -> Void) -> Int {
    scratch.removeAll(keepingCapacity: scratch.capacity <= 4096)
    lines(&scratch)
    unsafe scratch.withUnsafeBytes { unsafe connection.append($0) }
    return scratch.count
  }

  private func renewGreetings() {
    greeting = makeGreeting(needsToken: tokens.isNeeded)
    freeGreeting = makeGreeting(needsToken: false)
  }

  private func makeGreeting(needsToken: Bool) -> [UInt8] {
    let greeting = Greeting(
      product: "flow/\(flowVersion)",
      longestLine: configuration.lineLimit,
      largestValue: configuration.valueLimit,
      needsToken: needsToken
    )
    return ServerLine.greeting(greeting).bytes
  }

  private func makePace() -> TimeSlice {
    TimeSlice(
      limit: UInt64(configuration.slice),
      mostSteps: configuration.mostSteps,
      spent: { [platform = loop.platform] in platform.processorNanoseconds },
      time: { [platform = loop.platform] in platform.monotonicNanoseconds },
      calendar: { [platform = loop.platform, unowned clock, isReal] in
        // Where a test holds the clock, its time is all the time there is.
        isReal ? platform.calendarNanoseconds : clock.now.nanoseconds
      }
    ) { [unowned self] in nextTurn { [unowned self] in timeSlice.resume() } }
  }

  /// Ends at once, as the server goes: from then on no socket is the engine's.
  func end() {
    clients.end()
    web.end()
    for name in registry.names { registry.remove(name)?.end() }
    stores.end()
  }

  /// Lets go of the loop, in a turn after the one that has ended all.
  func detach() {
    loop.turnWillStart = nil
    loop.turnWillEnd = nil
    loop.nextDeadline = nil
  }
}
