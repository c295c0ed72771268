package import FlowCore
internal import FlowFiles
package import FlowLanguage
internal import FlowSubjects
package import FlowTransport
internal import FlowWire

/// Everything that one event loop owns: the clock, the named things and the clients.
///
/// A turn of the loop reads and runs the input, resumes subjects and publishers, then sends output.
/// What the engine owns refers to it unowned, and so do the loop's listeners, clients and hooks;
/// the `Server` therefore ends the engine on the loop's queue before it releases it. There are no
/// weak references, because these would slow down all others.
package final class Engine: @unchecked Sendable {  // touched only on `loop.queue`
  package let loop: EventLoop
  package let clock: VirtualTimeScheduler
  /// Whether the clock shows real time; tests may control it.
  private let isReal: Bool
  // memory 6: touched on the queue only.
  @safe @exclusivity(unchecked) package private(set) var configuration: Configuration
  var files: FilesInUse
  let eventLog: EventLog
  let registry: Registry
  let counters = Counters()
  let activity = Activity()
  private(set) lazy var ownSubjects = OwnSubjects(engine: self)
  private(set) lazy var prints = PrintLog(engine: self)
  private(set) lazy var watch = Watch(engine: self)
  private(set) lazy var web = WebDoor(engine: self)
  /// How long pipelines may work in a turn.
  package private(set) lazy var timeSlice = makePace()
  /// When it started, on its clock.
  let started: Int64
  /// When it started, in milliseconds since 1970; identifies this run of the server.
  let startedAt: Int
  package let services = Services()
  /// Stores for subjects that live outside this server's memory.
  package private(set) lazy var stores = SubjectStores(engine: self)
  let tokens: TokenBook
  private(set) lazy var ledger = Ledger(engine: self)

  @safe @exclusivity(unchecked) var recentCommands = RecentCommands()

  /// A buffer for writing lines.
  @safe @exclusivity(unchecked) private var scratch: [UInt8] = []

  /// Values of one read that go to the same subject.
  let batch = ValueBatch()

  @safe @exclusivity(unchecked) package var searches = 0

  /// The first line for clients.
  private(set) lazy var greeting = makeGreeting(needsToken: tokens.isNeeded)
  /// The first line for clients that need no token.
  private(set) lazy var freeGreeting = makeGreeting(needsToken: false)

  private(set) lazy var clients = ConnectedClients(engine: self)
  // memory 6: touched on the queue only.
  @safe @exclusivity(unchecked) var turn = EngineTurn()
  var leftOutEvents = LeftOutEvents()

  /// Makes an engine with the time of `platform`, or with a `clock` that a test controls.
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

  package var now: Int64 { clock.now.nanoseconds }

  /// Applies `settings`, and the original values for all others, to what is opened from now on.
  ///
  /// - Returns: whether anything changed.
  func configure(_ settings: [Setting]) -> Bool {
    let isChange = Set(settings) != Set(files.settings)
    files.settings = settings
    configuration = files.configuration
    ledger.limit = configuration.memory
    timeSlice.limit = UInt64(configuration.pipelines.slice)
    timeSlice.mostSteps = configuration.mostSteps
    renewGreetings()
    registry.limits = configuration.limits
    return isChange
  }

  /// Replaces the tokens and ends connections with revoked ones; returns how many.
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
      limit: UInt64(configuration.pipelines.slice),
      mostSteps: configuration.mostSteps,
      spent: { [platform = loop.platform] in platform.processorNanoseconds },
      time: { [platform = loop.platform] in platform.monotonicNanoseconds },
      calendar: { [platform = loop.platform, unowned clock, isReal] in
        // When a test controls the clock, there is no other time.
        isReal ? platform.calendarNanoseconds : clock.now.nanoseconds
      }
    ) { [unowned self] in nextTurn { [unowned self] in timeSlice.resume() } }
  }

  /// Ends at once; no socket calls the engine afterwards.
  func end() {
    clients.end()
    web.end()
    for name in registry.names { registry.remove(name)?.end() }
    stores.end()
    timeSlice.finishEndings()
  }

  /// Releases the loop, in a turn after `end`.
  func detach() {
    loop.turnWillStart = nil
    loop.turnWillEnd = nil
    loop.nextDeadline = nil
  }
}
