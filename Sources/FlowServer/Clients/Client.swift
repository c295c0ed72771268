internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

/// The driver of one connection: feeds the session, does what it asks for, and writes the answers.
final class Client: ConnectionHandler {
  let id: Int
  let connection: Connection
  // memory 3
  @safe unowned(unsafe) let engine: Engine  // keeps its clients, and closes them before it goes
  let counters: Counters
  // memory 6: touched on the queue only.
  @safe @exclusivity(unchecked) var session: Session

  @safe @exclusivity(unchecked) var open = OpenStreams()
  @safe @exclusivity(unchecked) var work = TurnWork()
  @safe @exclusivity(unchecked) var recent = Recent()
  @safe @exclusivity(unchecked) var decoder: FrameDecoder
  @safe @exclusivity(unchecked) private(set) var heldAccount: Account?
  @safe @exclusivity(unchecked) private var ownExtras: Extras?
  var input = InputMode.commands
  var lastInput: Int64
  /// The bytes of answers since the socket last took all.
  var answerBytes: UInt32 = 0
  /// Why the connection ended: the code of a BYE, or nothing if it was just gone.
  var farewell: ErrorCode?
  var ending = Ending.no
  /// Whether its connection is closed on both sides.
  var isGone = false
  var waits: Waits = []

  /// What waits for credit or demand, and is this connection's; made when something first may.
  var charged: Account {
    if let heldAccount { return heldAccount }
    let new = Account(limit: engine.configuration.connectionHoldLimit)
    heldAccount = new
    return new
  }

  /// What few clients need: those that call, answer calls, or wait.
  final class Extras {
    // memory 6: touched on the queue only.
    /// Answers that come later.
    @safe @exclusivity(unchecked) var heldAnswers: [HeldAnswer] = []
    /// Publications that have ended, and hold values that are still to go out.
    var endedPublications: [Publication] = []
    /// Durable subscriptions, by their ids, also of those that have had the end and may still be
    /// acknowledged.
    var durables: [UInt64: any DurableSubscription] = [:]
    /// The answer of many rows that is being given.
    var pages: Pages?
    /// Calls that the pipelines want more values of than their workers were told.
    @safe @exclusivity(unchecked) var wantingCalls: [Call] = []
    /// Those that are being told of.
    @safe @exclusivity(unchecked) var requestingCalls: [Call] = []
    /// Workers that are given no calls while so much is unsent.
    var fullWorkers: [Worker] = []
    /// The worker whose calls were answered last.
    @safe @exclusivity(unchecked) var recentWorker: Worker?
    /// The codec of its connection, if that is a WebSocket.
    var webSocket: WebSocketCodec?
    /// The highest number that a call of a worker that has gone had.
    var lastCall: UInt64 = 0
  }

  /// What there is of that.
  var anyExtras: Extras? { ownExtras }

  /// The same, made if there is none.
  var extras: Extras {
    if let ownExtras { return ownExtras }
    let new = Extras()
    ownExtras = new
    return new
  }

  /// What is to be done at the end of the turn, or when bytes have been sent.
  struct TurnWork {
    /// Streams that ask for nothing while so much is unsent.
    var heldBackStreams: [ClientSubscription] = []
    /// Streams whose values are sent when the turn ends, and which may then ask for more.
    var writtenStreams = TurnList<ClientSubscription>()
    /// Those that are asking.
    var requestingStreams = TurnList<ClientSubscription>()
    var isScheduled = false

    mutating func beginStreams() { swap(&writtenStreams, &requestingStreams) }
  }

  /// What was used last is most likely used next.
  struct Recent {
    var publication: Publication?
    var subject: ServerSubject?
    /// As it was sent.
    var subjectName: [UInt8] = []
  }

  /// What comes in.
  enum InputMode {
    case commands
    /// The lines of a FEED, and its answer.
    case feed(Feed, HeldAnswer)
    /// The lines of a FEED that was refused.
    case skippedFeed(SkippedFeed)
  }

  /// Why the connection is not read.
  struct Waits: OptionSet {
    let rawValue: UInt8
    static let credit = Waits(rawValue: 1)
    static let output = Waits(rawValue: 2)
    static let feed = Waits(rawValue: 4)
    /// It has done much in this turn, and others are to have theirs before it goes on.
    static let turn = Waits(rawValue: 8)
    static let answers = Waits(rawValue: 16)
    static let pages = Waits(rawValue: 32)
    /// A name is being deleted in a store: the commands behind it must find the name deleted.
    static let deletion = Waits(rawValue: 64)
  }

  enum Ending {
    case no
    /// The server goes away: what was asked for is delivered, and commands are still run.
    case draining
    /// The interactive peer sends no more.
    case inputEnded
    case quit
    /// The connection carries a TAIL's payloads and nothing else.
    case tailing
    case closed
  }

  init(id: Int, connection: Connection, engine: Engine) {
    self.id = id
    self.connection = connection
    self.engine = engine
    counters = engine.counters
    session = Session(engine.tokens)
    decoder = FrameDecoder(limits: Self.limits(engine.configuration, session))
    lastInput = engine.now
  }

  var account: Account? { charged }

  /// What is held for it, but for what its streams' pipelines hold.
  var bytes: Int {
    (heldAccount?.bytes ?? 0) + connection.held + session.answers.held + Self.own
      + open.count * Self.ofStream
  }

  /// About what a connection takes, and each of its streams.
  private static let own = 4096
  private static let ofStream = 1536

  /// What a stream is told that has too much waiting.
  var tooMuchHeld: String {
    "more than \(charged.limit) bytes wait for this connection, which does not read fast enough"
  }

  /// How large its frames may be: before it has said who it is, no larger than a command need be.
  private static func limits(_ configuration: Configuration, _ session: Session) -> FrameLimits {
    let most = session.access.isGranted ? Int.max : 4096
    let value = min(configuration.valueLimit, most)
    return FrameLimits(
      line: min(configuration.lineLimit, most),
      value: value,
      skip: max(FrameLimits().skip, value)
    )
  }

  /// Takes frames as large as they may be now.
  func readAsGranted() {
    decoder = FrameDecoder(limits: Self.limits(engine.configuration, session))
    anyExtras?.webSocket?.readAsGranted()
  }

  func greet() {
    connection.append(session.access.isGranted ? engine.freeGreeting : engine.greeting)
    if !session.access.isGranted { limitHandshake() }
  }

  /// Whether its peer is sent a last frame, and hears nothing after its own.
  var isWebSocket: Bool { anyExtras?.webSocket != nil }

  /// Whether its lines are commands.
  var isCommanded: Bool { if case .commands = input { true } else { false } }

  /// The FEED that all input goes to, while there is one.
  var feed: Feed? { if case .feed(let feed, _) = input { feed } else { nil } }

  var takesCommands: Bool { ending == .no || ending == .draining }

  // MARK: Output

  /// Writes a line at once, whatever answers are held back.
  func signal(_ line: ServerLine, tag: String? = nil) {
    signal { line.write(tag: tag, into: &$0) }
  }

  func signal(_ write: (inout [UInt8]) -> Void) {
    guard ending != .closed else { return }
    engine.write(to: connection, write)
  }

  func scheduleRequest(by stream: ClientSubscription) {
    work.writtenStreams.append(stream)
    scheduleEndOfTurn()
  }

  func scheduleEndOfTurn() {
    guard !work.isScheduled else { return }
    work.isScheduled = true
    engine.scheduleEndOfTurn(self)
  }

  /// Sends what there is, lets the streams ask for what fits now, and goes if nothing is left to do.
  func endTurn() {
    work.isScheduled = false
    engine.activity.record(.sending, client: id)
    if let anyExtras, !anyExtras.wantingCalls.isEmpty { sendRequests(anyExtras) }
    connection.flush()
    if !work.writtenStreams.isEmpty { requestForStreams() }
    if !connection.isBlocked { resume() }
    let most = engine.configuration.connectionHoldLimit
    if connection.unsent > most {
      return bye(.overflow, "the client has left more than \(most) bytes unread")
    }
    finishIfDone()
  }

  private func requestForStreams() {
    work.beginStreams()
    work.requestingStreams.forEach { $0.endTurn() }
    work.requestingStreams.removeAll()
  }

  /// Has `stream` ask again when bytes have been sent.
  func scheduleResume(of stream: ClientSubscription) {
    engine.counters.postponed += 1
    work.heldBackStreams.append(stream)
    scheduleEndOfTurn()
  }

  /// Bytes have been sent: lets those go on that were held back by them, and nobody else.
  private func resume() {
    if !work.heldBackStreams.isEmpty {
      let streams = work.heldBackStreams
      work.heldBackStreams.removeAll()
      for stream in streams { stream.resume() }
    }
    if let anyExtras, !anyExtras.fullWorkers.isEmpty { resumeWorkers(anyExtras) }
  }

  func connectionDrained(_ connection: Connection) {
    if connection.unsent == 0 { answerBytes = 0 }
    resumeAnswering()
    resume()
    if answerBytes <= engine.configuration.answerLimit || connection.unsent == 0 {
      endWait(.output)
    }
  }
}
