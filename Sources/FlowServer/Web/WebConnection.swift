internal import FlowCore
internal import FlowFiles
internal import FlowHTTP
internal import FlowLanguage
internal import FlowTransport
internal import Spelling

/// An HTTP connection.
final class WebConnection: ConnectionHandler {
  let connection: Connection
  @safe unowned(unsafe) let door: WebDoor  // memory 3
  private let origin: WebDoor.Origin
  /// Whether it uses a listener's spare descriptor: it gets one answer and is closed.
  private let isLast: Bool
  private var decoder = RequestDecoder()
  /// Since when the present request has been incomplete.
  private(set) var waitingSince: Int64 = 0
  private var state = State.answering

  private enum State {
    case answering
    /// A trial runs, or metrics are gathered; later requests wait.
    case trying
    /// It receives events until its end.
    case watching(PageViewer)
    /// A client serves the connection now.
    case session
    /// Its input is dropped, or it is closed.
    case over
  }

  /// How long a request may take to arrive, in nanoseconds.
  private static let patience: Int64 = 5_000_000_000
  private static let idle: Int64 = 60_000_000_000

  /// No more requests are answered while this many bytes are unsent.
  private static let mostUnsent = 1 << 20

  init(_ connection: Connection, from origin: WebDoor.Origin, isLast: Bool, door: WebDoor) {
    self.connection = connection
    self.origin = origin
    self.isLast = isLast
    self.door = door
    waitingSince = door.engine.now
  }

  var engine: Engine { door.engine }

  /// Whether it receives events.
  var isStream: Bool { if case .watching = state { true } else { false } }

  /// Whether it waits for a request or its end, without a trial or events.
  var isWaiting: Bool {
    switch state {
    case .answering, .session, .over: true
    case .trying, .watching: false
    }
  }

  func begin() { check(after: Self.patience) }

  private func check(after nanoseconds: Int64) {
    let clock = engine.clock
    clock.schedule(after: clock.now.advanced(by: .nanoseconds(Int(nanoseconds)))) { [weak self] in
      self?.checkPatience()
    }
  }

  private func checkPatience() {
    guard connection.isOpen else { return }
    switch state {
    case .answering: break
    case .trying: return check(after: Self.patience)
    case .watching, .session, .over: return
    }
    let isIdle = unsafe decoder.isBetweenRequests && connection.unread.isEmpty
    let rest = waitingSince + (isIdle ? Self.idle : Self.patience) - engine.now
    if rest > 0 { return check(after: min(rest, Self.patience)) }
    if isIdle || connection.unsent > 0 { return close() }
    refuse(408, "the request was not there after \(Self.patience / 1_000_000_000) s")
  }

  func connection(_ connection: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
    var offset = 0
    while case .answering = state, connection.isOpen {
      // Pipelined requests wait until the peer reads.
      guard connection.unsent < Self.mostUnsent else {
        connection.pauseReading()
        break
      }
      switch unsafe decoder.next(buffer, &offset) {
      case .incomplete:
        return offset
      case .refused(let status, let reason):
        refuse(status, reason)
      case .awaitsContinue:
        var bytes: [UInt8] = []
        ResponseHead(100).write(into: &bytes, .none, keepsAlive: true)
        connection.append(bytes)
      case .request(let request, let body):
        waitingSince = engine.now
        engine.activity.record(.web)
        unsafe answer(request, UnsafeRawBufferPointer(rebasing: buffer[body]))
      }
    }
    switch state {
    case .answering, .trying: return offset
    case .watching, .over: return buffer.count
    case .session:
      unsafe connection.takeFrames(UnsafeRawBufferPointer(rebasing: buffer[offset...]))
      return buffer.count
    }
  }

  private func answer(_ request: RequestHead, _ body: UnsafeRawBufferPointer) {
    guard let resource = WebResource(rawValue: request.path) else {
      return send(WebAnswer(404, "there is no \(request.path.excerpt(100)) here"), request, "other")
    }
    let asked = WebRequest(
      request,
      resource,
      from: connection.peer,
      origin,
      door: door
    )
    switch unsafe asked.answer(body) {
    case .answer(let answer): send(answer, request, resource.rawValue)
    case .events(let access): stream(request, access, resource.rawValue)
    case .session(let head): openSession(head, resource.rawValue)
    case .trial(let trial, let until): run(trial, until, request, resource.rawValue)
    case .metrics(let page):
      if goOn(with: page) { return send(WebAnswer(page), request, resource.rawValue) }
      state = .trying
      connection.pauseReading()
      gather(page, request, resource.rawValue)
    }
  }

  /// Runs a trial on another thread; later requests wait.
  private func run(_ trial: Trial, _ until: Int, _ request: RequestHead, _ path: String) {
    guard door.beginTrial() else {
      var answer = WebAnswer(503, "\(WebDoor.mostTrials) trials are under way already; try again")
      answer.headers = [("Retry-After", "1")]
      return send(answer, request, path)
    }
    state = .trying
    connection.pauseReading()
    let (platform, loop) = (engine.loop.platform, engine.loop)
    let door = Reference(door), web = Reference(self)
    platform.run(after: 0) { @Sendable [weak loop] in
      let json = trial.json(until) { platform.processorNanoseconds }
      loop?.post { @Sendable in
        door.object.endTrial()
        web.object.tried(json, request, path)
      }
    }
  }

  private func tried(_ json: String, _ request: RequestHead, _ path: String) {
    answerLate(WebAnswer(type: "application/json", Array(json.utf8)), request, path)
  }

  private func goOn(with page: MetricsPage) -> Bool {
    let slice = engine.timeSlice
    let begun = slice.now
    return page.addMore { slice.now &- begun <= slice.limit }
  }

  /// Goes on with `page` in later turns, and answers when it is whole.
  private func gather(_ page: MetricsPage, _ request: RequestHead, _ path: String) {
    engine.timeSlice.waitBehind { [weak self] in
      guard let self else { return }
      guard case .trying = state, connection.isOpen else { return }
      if goOn(with: page) {
        answerLate(WebAnswer(page), request, path)
      } else {
        gather(page, request, path)
      }
    }
  }

  private func answerLate(_ answer: WebAnswer, _ request: RequestHead, _ path: String) {
    guard case .trying = state, connection.isOpen else { return }
    state = .answering
    send(answer, request, path)
    waitingSince = engine.now
    connection.resumeReading()
  }

  /// Answers a malformed request, and closes.
  func refuse(_ status: Int, _ reason: String) {
    var bytes: [UInt8] = []
    let answer = WebAnswer(status, reason)
    head(of: answer).write(into: &bytes, body: answer.body, keepsAlive: false)
    connection.append(bytes)
    door.count("other", status)
    finish()
  }

  private func send(_ answer: WebAnswer, _ request: RequestHead, _ path: String) {
    door.count(path, answer.status)
    var bytes: [UInt8] = []
    let keepsAlive = request.keepsAlive && !isLast
    if request.method == "HEAD" {
      head(of: answer).write(into: &bytes, .bytes(answer.body.count), keepsAlive: keepsAlive)
    } else {
      head(of: answer).write(into: &bytes, body: answer.body, keepsAlive: keepsAlive)
    }
    connection.append(bytes)
    if !keepsAlive { finish() }
  }

  private func head(of answer: WebAnswer) -> ResponseHead {
    ResponseHead(
      answer.status,
      [("Content-Type", answer.type)]
        + WebAnswer.headers.filter { name, _ in !answer.headers.contains { $0.0 == name } }
        + answer.headers
    )
  }

  private func stream(_ request: RequestHead, _ access: Access, _ path: String) {
    guard door.streamCount < WebDoor.mostStreams, !isLast else {
      let text = "\(WebDoor.mostStreams) pages are told of events already"
      return send(WebAnswer(503, text), request, path)
    }
    door.count(path, 200)
    var bytes: [UInt8] = []
    let headers = WebAnswer.headers.filter { $0.0 != "Cache-Control" } + EventStream.headers
    ResponseHead(200, headers).write(into: &bytes, .untilClose, keepsAlive: false)
    if request.method == "HEAD" {
      connection.append(bytes)
      return finish()
    }
    // Keeps old samples from piling up in the kernel.
    connection.limitOutput(to: 16_384)
    connection.append(bytes)
    var query = WatchQuery()
    query.name = request.query("watch") ?? ""
    query.stream = request.query("stream") ?? ""
    query.filter = request.query("filter") ?? ""
    let viewer = PageViewer(connection, engine: engine, access: access, query: query)
    state = .watching(viewer)
    viewer.begin()
  }

  private func openSession(_ head: ResponseHead, _ path: String) {
    guard !isLast else { return refuse(503, "no more connections are accepted") }
    door.count(path, 101)
    var bytes: [UInt8] = []
    head.write(into: &bytes, .none, keepsAlive: true)
    connection.append(bytes)
    state = .session
    let codec = WebSocketCodec(engine: engine)
    connection.begin(codec)
    let client = engine.clients.accept(connection, certificate: origin.certificate)
    guard let client else { return finish() }
    client.extras.webSocket = codec
    if client.session.access.isGranted { codec.readAsGranted() }
    door.remove(self)
  }

  /// Updates the access after the tokens were replaced; returns false if it no longer suffices.
  func follow(_ places: [Int?]) -> Bool {
    if case .watching(let viewer) = state { viewer.follow(places) } else { true }
  }

  private func finish() {
    // The next connection needs this descriptor.
    if isLast { return close() }
    state = .over
    engine.clients.limitClosing(connection)
    connection.closeAfterFlush()
  }

  func close() {
    end()
    connection.close()
  }

  private func end() {
    if case .watching(let viewer) = state { viewer.end() }
    state = .over
  }

  func connectionInputEnded(_ connection: Connection) {
    // A peer that ended its input still gets the answers it waits for.
    if isStream { close() } else if isWaiting { finish() }
  }

  func connectionDrained(_ connection: Connection) {
    if isWaiting { connection.resumeReading() }
  }

  func connectionClosed(_ connection: Connection, _ error: TransportError?) {
    end()
    door.handleClose(of: self)
  }
}

/// Passes an object of the loop's queue through another thread and back.
private struct Reference<Object: AnyObject>: @unchecked Sendable {  // read on the queue only
  let object: Object

  init(_ object: Object) { self.object = object }
}

extension Trial {
  /// The result as JSON, or its error.
  fileprivate func json(_ until: Int, _ clock: @escaping () -> UInt64) -> String {
    do throws(TrialError) {
      return try run(clock: clock).json(testUntil: until)
    } catch {
      return error.json
    }
  }
}
