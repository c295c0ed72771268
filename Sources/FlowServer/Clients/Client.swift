internal import FlowCore
internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

/// The driver of one connection: feeds the session, does what it asks for, and writes the answers.
final class Client: ConnectionHandler {
  let id: Int
  let connection: Connection
  unowned(unsafe) let engine: Engine  // keeps its clients, and closes them before it goes
  let counters: Counters
  @exclusivity(unchecked) var session: Session

  @exclusivity(unchecked) var streams = StreamTable<Stream>()
  @exclusivity(unchecked) var publications = StreamTable<Publication>()
  @exclusivity(unchecked) var workers = StreamTable<Worker>()
  /// Those that have ended, and hold values that are still to go out.
  var endedPublications: [Publication] = []
  @exclusivity(unchecked) var lastWorker: Worker?
  /// The highest number that a call of a stream that has ended had.
  var lastCall: UInt64 = 0
  /// Calls that the pipelines want more values of than their workers were told.
  @exclusivity(unchecked) var wantingCalls: [Call] = []
  @exclusivity(unchecked) var toldCalls: [Call] = []
  /// Streams that ask for nothing while so much is unsent.
  @exclusivity(unchecked) private var heldBackStreams: [Stream] = []
  /// Workers that are given no calls while so much is unsent.
  @exclusivity(unchecked) var fullWorkers: [Worker] = []
  @exclusivity(unchecked) var decoder: FrameDecoder
  @exclusivity(unchecked) private var writtenStreams = TurnList<Stream>()
  @exclusivity(unchecked) private var refilledStreams = TurnList<Stream>()
  @exclusivity(unchecked) private var scratch: [UInt8] = []
  @exclusivity(unchecked) var isNoted = false
  /// The publication and the subject that were used last are most likely the next ones too.
  @exclusivity(unchecked) var lastPublication: Publication?
  @exclusivity(unchecked) var lastSubject: ServerSubject?
  @exclusivity(unchecked) var lastSubjectName: [UInt8] = []
  var waitingSends: [(send: WaitingSend, subject: ServerSubject)] = []
  /// What all input goes to, while there is one.
  @exclusivity(unchecked) var feed: Feed?
  /// What passes over the lines of a FEED that was refused.
  @exclusivity(unchecked) var skippedFeed: SkippedFeed?
  @exclusivity(unchecked) var ending = Ending.no
  /// Why the connection ended: the code of a BYE, or `gone`.
  var farewell = "gone"
  @exclusivity(unchecked) var waits: Waits = []
  @exclusivity(unchecked) var answerOctets = 0
  @exclusivity(unchecked) var lastInput: Int64

  /// Why the connection is not read.
  struct Waits: OptionSet {
    let rawValue: Int
    static let room = Waits(rawValue: 1)
    static let output = Waits(rawValue: 2)
    static let feed = Waits(rawValue: 4)
  }

  enum Ending {
    case no
    /// The server goes away: what was asked for is delivered, and commands are still run.
    case draining
    /// The typed peer sends no more.
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
    session = Session(engine.configuration)
    let limits = FrameLimits(
      line: engine.configuration.lineLimit,
      value: engine.configuration.valueLimit
    )
    decoder = FrameDecoder(limits: limits)
    lastInput = engine.now
  }

  func greet() {
    connection.append(engine.greeting)
    if !session.access.isGranted { limitHandshake() }
  }

  private var takesCommands: Bool { ending == .no || ending == .draining }

  // MARK: Input

  func connection(_ connection: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
    lastInput = engine.now
    var offset = 0
    if !takeFeed(buffer, &offset) { return offset }
    while takesCommands, waits.isEmpty {
      let start = offset
      if session.isNew, start < buffer.count, buffer[start] == 0x16 {
        bye("tls", "this port speaks flow in plain text; put a TLS proxy in front of it")
        break
      }
      switch decoder.next(buffer, &offset) {
      case .incomplete: return offset
      case .value(let id, let payload):
        if takeBatches(id, like: (start, payload.lowerBound), buffer, &offset) { continue }
        counters.valueFrames &+= 1
        if !take(id, UnsafeRawBufferPointer(rebasing: buffer[payload])) {
          counters.valueFrames &-= 1
          wait(.room)
          return start
        }
      case .callValue(let id, let payload):
        counters.valueFrames &+= 1
        if !take(id, UnsafeRawBufferPointer(rebasing: buffer[payload])) {
          counters.valueFrames &-= 1
          wait(.room)
          return start
        }
      case .send(let name, let value):
        let name = UnsafeRawBufferPointer(rebasing: buffer[name])
        counters.sends &+= 1
        session.beginUntagged()
        send(name, UnsafeRawBufferPointer(rebasing: buffer[value]))
      case .line(let range):
        run(UnsafeRawBufferPointer(rebasing: buffer[range]))
        if !takeFeed(buffer, &offset) { return offset }
      case .refused(let error, let start):
        refuse(error, UnsafeRawBufferPointer(rebasing: buffer[start...].prefix(256)))
        if !takeFeed(buffer, &offset) { return offset }
      case .broken(let error):
        bye(error.code.rawValue, error.message)
      }
    }
    return takesCommands ? offset : buffer.count
  }

  func run(_ line: UnsafeRawBufferPointer) {
    guard !CommandLine.isIgnorable(line) else { return }
    if session.isNew, line.endsWithHTTPVersion {
      return bye("http", "this is not a web server; the protocol is plain lines, HELP lists them")
    }
    do throws(CommandError) {
      let command = try CommandLine(line)
      counters.count(command.command)
      perform(session.handle(command), line)
    } catch {
      refuse(error, String(decoding: line, as: UTF8.self))
    }
    afterCommand()
  }

  /// Refuses a frame that was not taken, of which `head` is the beginning.
  private func refuse(_ error: WireError, _ head: UnsafeRawBufferPointer) {
    let error = CommandError(tag: CommandLine.tag(of: head), error: error)
    refuse(error, String(decoding: head, as: UTF8.self))
    afterCommand()
  }

  private func refuse(_ error: CommandError, _ line: String) {
    session.refuse(error, line)
    switch Session.verb(line) {
    case .tail: endAfterRefusedTail()
    case .feed: skipLines()
    default: break
    }
  }

  /// Sends the answers, and bounds what a peer may leave unread or get wrong.
  func afterCommand() {
    writeAnswers()
    if session.errorsInARow > 0 {
      for code in session.takeRefusals() { counters.count("ERR", code) }
    }
    if session.errorsInARow >= engine.configuration.errorLimit {
      bye("errors", "\(session.errorsInARow) errors in a row")
    } else if connection.isBlocked, answerOctets > engine.configuration.answerLimit {
      wait(.output)
      closeUnlessRead()
    }
  }

  func writeAnswers() {
    guard session.hasOutput else { return }
    let octets = session.takeOutput()
    if !connection.isBlocked { answerOctets = 0 }
    answerOctets += octets.count
    octets.withUnsafeBytes { connection.append($0) }
  }

  func closeUnlessRead() {
    let unsent = connection.unsent
    after(engine.configuration.linger) { client in
      guard client.waits.contains(.output) else { return }
      if client.connection.unsent < unsent {
        client.closeUnlessRead()
      } else {
        client.bye("overflow", "answers are not being read")
      }
    }
  }

  func after(_ nanoseconds: Int64, _ body: @escaping (Client) -> Void) {
    let date = engine.clock.now.advanced(by: .nanoseconds(Int(nanoseconds)))
    engine.clock.schedule(after: date) { [weak self] in
      if let self, ending != .closed { body(self) }
    }
  }

  func wait(_ reason: Waits) {
    if waits.isEmpty { connection.pauseReading() }
    waits.insert(reason)
  }

  func go(_ reason: Waits) {
    guard waits.remove(reason) != nil, waits.isEmpty else { return }
    connection.resumeReading()
  }

  // MARK: Output

  /// Writes a signal at once, whatever answers are held back.
  func signal(_ write: (inout [UInt8]) -> Void) {
    guard ending != .closed else { return }
    scratch.removeAll(keepingCapacity: scratch.capacity <= 4096)
    write(&scratch)
    scratch.withUnsafeBytes { connection.append($0) }
  }

  func noteWritten(_ stream: Stream) {
    writtenStreams.append(stream)
    noteForEndOfTurn()
  }

  func noteForEndOfTurn() {
    guard !isNoted else { return }
    isNoted = true
    engine.noteForEndOfTurn(self)
  }

  /// Sends what there is, lets the streams ask for what fits now, and goes if nothing is left to do.
  func endTurn() {
    isNoted = false
    if !wantingCalls.isEmpty { tellWanted() }
    connection.flush()
    if !writtenStreams.isEmpty { refillStreams() }
    if !connection.isBlocked { goOn() }
    finishIfDone()
  }

  private func refillStreams() {
    swap(&writtenStreams, &refilledStreams)
    refilledStreams.forEach { $0.refill() }
    refilledStreams.removeAll()
  }

  /// Has `stream` ask again when octets have been sent.
  func noteHeldBack(_ stream: Stream) {
    engine.postponed += 1
    heldBackStreams.append(stream)
    noteForEndOfTurn()
  }

  /// Octets have been sent: lets those go on that were held back by them, and nobody else.
  private func goOn() {
    if !heldBackStreams.isEmpty {
      let streams = heldBackStreams
      heldBackStreams.removeAll()
      for stream in streams { stream.goOn() }
    }
    if !fullWorkers.isEmpty { refillWorkers() }
  }

  func connectionDrained(_ connection: Connection) {
    if connection.unsent == 0 { answerOctets = 0 }
    goOn()
    if answerOctets <= engine.configuration.answerLimit || connection.unsent == 0 { go(.output) }
  }
}
