internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

/// Drives one connection: feeds the session, runs its commands, and writes the answers.
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
  /// Bytes of answers since the socket last took everything.
  var answerBytes: UInt32 = 0
  /// The code of the BYE that ended the connection, if there was one.
  var farewell: ErrorCode?
  var ending = Ending.no
  /// Whether the connection is closed on both sides.
  var isGone = false
  var waits: Waits = []

  /// The account for values that wait; made when first needed.
  var charged: Account {
    if let heldAccount { return heldAccount }
    let new = Account(limit: engine.configuration.connections.holdLimit)
    heldAccount = new
    return new
  }

  /// State that few clients need: those that call, answer calls, or wait.
  final class Extras {
    // memory 6: touched on the queue only.
    /// Answers that come later.
    @safe @exclusivity(unchecked) var heldAnswers: [HeldAnswer] = []
    /// Ended publications that still hold values.
    var endedPublications: [Publication] = []
    /// Durable subscriptions by id, including ended ones that may still be acknowledged.
    var durables: [UInt64: any DurableSubscription] = [:]
    /// The long answer that is being written.
    var pages: Pages?
    /// Calls with demand that their workers were not told of yet.
    @safe @exclusivity(unchecked) var wantingCalls: [Call] = []
    /// The calls of `wantingCalls` that are being told now.
    @safe @exclusivity(unchecked) var requestingCalls: [Call] = []
    /// Workers that get no calls while much is unsent.
    var fullWorkers: [Worker] = []
    /// The worker that answered last.
    @safe @exclusivity(unchecked) var recentWorker: Worker?
    /// Set if the connection is a WebSocket.
    var webSocket: WebSocketCodec?
    /// The highest call number of workers that have left.
    var lastCall: UInt64 = 0
  }

  /// The extras, if they were created.
  var anyExtras: Extras? { ownExtras }

  /// The extras, created if needed.
  var extras: Extras {
    if let ownExtras { return ownExtras }
    let new = Extras()
    ownExtras = new
    return new
  }

  /// Work for the end of the turn, or for when bytes have been sent.
  struct TurnWork {
    /// Streams that request nothing while much is unsent.
    var heldBackStreams: [ClientSubscription] = []
    /// Streams whose values are sent when the turn ends, and which may then request more.
    var writtenStreams = TurnList<ClientSubscription>()
    /// The streams of `writtenStreams` that request now.
    var requestingStreams = TurnList<ClientSubscription>()
    var isScheduled = false

    mutating func beginStreams() { swap(&writtenStreams, &requestingStreams) }
  }

  /// Caches for what was used last.
  struct Recent {
    var publication: Publication?
    var subject: ServerSubject?
    /// The name's bytes, as received.
    var subjectName: [UInt8] = []
  }

  /// How input is interpreted.
  enum InputMode {
    case commands
    case feed(Feed, HeldAnswer)
    case skippedFeed(SkippedFeed)
  }

  /// Reasons not to read the connection.
  struct Waits: OptionSet {
    let rawValue: UInt8
    static let credit = Waits(rawValue: 1)
    static let output = Waits(rawValue: 2)
    static let feed = Waits(rawValue: 4)
    /// It has used its time slice in this turn.
    static let turn = Waits(rawValue: 8)
    static let answers = Waits(rawValue: 16)
    static let pages = Waits(rawValue: 32)
    /// A name is being deleted in a store; later commands must find it deleted.
    static let deletion = Waits(rawValue: 64)
  }

  enum Ending {
    case no
    /// The server shuts down: requested values are delivered, and commands still run.
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

  /// The memory held for it, without that of its streams' pipelines.
  var bytes: Int {
    (heldAccount?.bytes ?? 0) + connection.held + session.answers.held + Self.own
      + open.count * Self.ofStream
  }

  /// The approximate memory of a connection, and of a stream.
  private static let own = 4096
  private static let ofStream = 1536

  /// The error for a stream with too much waiting.
  var tooMuchHeld: String {
    "more than \(charged.limit) bytes wait for this connection, which does not read fast enough"
  }

  /// The frame size limits; small until the client has authenticated.
  private static func limits(_ configuration: Configuration, _ session: Session) -> FrameLimits {
    let most = session.access.isGranted ? Int.max : 4096
    let value = min(configuration.valueLimit, most)
    return FrameLimits(
      line: min(configuration.lineLimit, most),
      value: value,
      skip: max(FrameLimits().skip, value)
    )
  }

  /// Applies the frame size limits of the present state.
  func readAsGranted() {
    decoder = FrameDecoder(limits: Self.limits(engine.configuration, session))
    anyExtras?.webSocket?.readAsGranted()
  }

  func greet() {
    connection.append(session.access.isGranted ? engine.freeGreeting : engine.greeting)
    if !session.access.isGranted { limitHandshake() }
  }

  var isWebSocket: Bool { anyExtras?.webSocket != nil }

  var isCommanded: Bool { if case .commands = input { true } else { false } }

  /// The current FEED.
  var feed: Feed? { if case .feed(let feed, _) = input { feed } else { nil } }

  var takesCommands: Bool { ending == .no || ending == .draining }

  // MARK: Output

  /// Writes a line at once, ahead of held answers.
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

  /// Sends the output, lets streams request more, and closes if nothing is left to do.
  func endTurn() {
    work.isScheduled = false
    engine.activity.record(.sending, client: id)
    if let anyExtras, !anyExtras.wantingCalls.isEmpty { sendRequests(anyExtras) }
    connection.flush()
    if !work.writtenStreams.isEmpty { requestForStreams() }
    if !connection.isBlocked { resume() }
    let most = engine.configuration.connections.holdLimit
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

  /// Lets `stream` request again when bytes have been sent.
  func scheduleResume(of stream: ClientSubscription) {
    engine.counters.postponed += 1
    work.heldBackStreams.append(stream)
    scheduleEndOfTurn()
  }

  /// Resumes what waited for bytes to be sent.
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
    if answerBytes <= engine.configuration.connections.answerLimit || connection.unsent == 0 {
      endWait(.output)
    }
  }
}
