/// The connection to NATS, with what was asked on it: it is dialled again whenever it is lost.
///
/// Unchecked: it is touched on one serial queue only, that of its owner.
package final class NATSLink: @unchecked Sendable {
  private enum Phase {
    case idle
    case dialling
    /// The server is to say INFO.
    case greeting(any NATSWire)
    /// The server is to say PONG.
    case loggingIn(any NATSWire)
    case up(any NATSWire)
    case stopped
  }

  /// What the names of this process begin with, on any server.
  package let epoch: String
  private let login: NATSLogin
  private let name: String
  private let hears: String
  private let talks: String?
  private let calls: String?
  private let dialer: any NATSDialer
  // Outlives its link, which it stops.
  private unowned let owner: any NATSLinkOwner

  private var phase = Phase.idle
  /// Counts connections, so that what comes late is known as such.
  private var attempt = 0
  private var hosts: HostList
  private var decoder = NATSDecoder()
  private var writer = NATSWriter()
  /// What the server says of itself, once it has.
  package private(set) var info: ServerInfo?
  /// The longest value that can be sent, by the server's info or, before it comes, by NATS's default.
  package var longestValue: Int { (info ?? ServerInfo()).longestValue }
  /// Why there is no connection, while there is none.
  package private(set) var reason: NATSError?
  private var objection: String?
  private var lastHeard: Int64 = 0
  private var lastPing: Int64 = 0
  private var lastRequest: UInt64 = 0
  private var requests: [UInt64: (NATSReply) -> Void] = [:]
  private var consumers: [UInt64: any NATSConsumer] = [:]

  /// Makes a link that tells of all messages to subjects like `hears`, besides what it asks for.
  ///
  /// Of subjects like `talks` it also tells what the messages say; those of the stream `calls` are no
  /// consumer's, but the owner's.
  package init(
    hosts: [String],
    login: NATSLogin,
    name: String,
    epoch: String,
    hears: String,
    talks: String? = nil,
    calls: String? = nil,
    dialer: any NATSDialer,
    owner: any NATSLinkOwner
  ) {
    self.hosts = HostList(hosts)
    self.login = login
    self.name = name
    self.epoch = epoch
    self.hears = hears
    self.talks = talks
    self.calls = calls
    self.dialer = dialer
    self.owner = owner
  }

  package var isUp: Bool { if case .up = phase { true } else { false } }

  /// Begins to connect.
  package func start() {
    guard case .idle = phase else { return }
    dial()
  }

  /// Ends for good; whoever waits for an answer hears nothing more.
  package func stop() {
    wire?.close()
    phase = .stopped
    attempt += 1
    requests.removeAll()
    consumers.removeAll()
  }

  private var wire: (any NATSWire)? {
    switch phase {
    case .greeting(let wire), .loggingIn(let wire), .up(let wire): wire
    case .idle, .dialling, .stopped: nil
    }
  }

  // MARK: Connecting

  private func dial() {
    phase = .dialling
    attempt += 1
    let (attempt, host) = (attempt, hosts.take())
    dialer.dial(host) { [weak self] result in
      guard let self, self.attempt == attempt else {
        if case .success(let wire) = result { wire.close() }
        return
      }
      switch result {
      case .success(let wire): opened(wire)
      case .failure(let error): lose(error)
      }
    }
  }

  private func opened(_ wire: any NATSWire) {
    wire.receiver = self
    phase = .greeting(wire)
    decoder = NATSDecoder()
    objection = nil
    lastHeard = owner.now
    lastPing = owner.now
    look(attempt)
  }

  /// Looks each second whether the server still says something, and asks it to.
  private func look(_ attempt: Int) {
    owner.after(Self.second) { [weak self] in
      guard let self, self.attempt == attempt else { return }
      let now = owner.now
      guard now - lastHeard < Self.patience else {
        return lose(NATSError(.lost, "nothing was heard of NATS for 5 s"))
      }
      if case .up = phase, now - lastPing >= Self.interval {
        lastPing = now
        write { $0.ping() }
      }
      look(attempt)
    }
  }

  private static let second: Int64 = 1_000_000_000
  /// How often the server is asked to say something, in nanoseconds.
  private static let interval = 2 * second
  /// How long a server may be silent, in nanoseconds.
  private static let patience = 5 * second

  /// The connection is no more, or no good: the next server is tried after a while.
  private func lose(_ error: NATSError) {
    if case .stopped = phase { return }
    wire?.close()
    attempt += 1
    phase = .dialling
    let isNews = reason != error
    reason = error
    let missed = requests
    requests.removeAll()
    for number in missed.keys.sorted() { missed[number]?(.missing) }
    if isNews { owner.linkIsAway(error) }
    let attempt = attempt
    owner.after(hosts.delay()) { [weak self] in
      if let self, self.attempt == attempt { dial() }
    }
  }

  // MARK: Saying things

  /// Writes to the server, if there is a connection.
  private func write(_ body: (inout NATSWriter) -> Void) {
    guard let wire else { return }
    body(&writer)
    wire.send(writer.bytes)
    writer.removeAll()
  }

  /// Publishes, while the link is up.
  package func publish(_ body: (inout NATSWriter) -> Void) {
    if isUp { write(body) }
  }

  /// Where the server is to answer something; `answer` is called once, also if no answer comes
  /// within so many nanoseconds.
  package func expect(
    within nanoseconds: Int64 = 5_000_000_000,
    _ answer: @escaping (NATSReply) -> Void
  ) -> String {
    lastRequest += 1
    let number = lastRequest
    requests[number] = answer
    owner.after(nanoseconds) { [weak self] in
      self?.requests.removeValue(forKey: number)?(.missing)
    }
    return "_INBOX.\(epoch).\(number)"
  }

  /// Asks for something; without a connection there is no answer, which is said later.
  package func request(
    _ request: JetStreamRequest,
    within nanoseconds: Int64 = 5_000_000_000,
    _ answer: @escaping (NATSReply) -> Void
  ) {
    guard isUp else { return owner.after(1) { answer(.missing) } }
    let reply = expect(within: nanoseconds, answer)
    write { $0.publish(request.subject, reply: reply, Array(request.payload.utf8)) }
  }

  // MARK: Consumers

  /// A name for a consumer that no other has: that of `generation`.
  package func consumerName(_ generation: UInt64) -> String { "s-\(epoch)-\(generation)" }

  /// Gives `consumer` what comes for the consumer of that generation.
  package func attach(_ consumer: any NATSConsumer, _ generation: UInt64) {
    consumers[generation] = consumer
  }

  package func detach(_ generation: UInt64) { consumers[generation] = nil }

  /// Sends a request of the consumer of that generation, whose answers are values, or a status.
  package func pull(_ request: JetStreamRequest, _ generation: UInt64) {
    publish {
      let reply = "_INBOX.\(epoch).c\(generation)"
      $0.publish(request.subject, reply: reply, Array(request.payload.utf8))
    }
  }
}

extension NATSLink: NATSReceiver {
  package func wireClosed(_ reason: String) { lose(NATSError(.lost, objection ?? reason)) }

  package func received(_ buffer: UnsafeRawBufferPointer) -> Int {
    lastHeard = owner.now
    var offset = 0
    let attempt = attempt
    do throws(NATSError) {
      while self.attempt == attempt, let frame = try unsafe decoder.next(buffer, &offset) {
        unsafe handle(frame, buffer)
      }
    } catch {
      lose(error)
    }
    return self.attempt == attempt ? offset : buffer.count
  }

  private func handle(_ frame: NATSFrame, _ buffer: UnsafeRawBufferPointer) {
    switch frame {
    case .info(let json): unsafe greeted(ServerInfo(part(buffer, json)))
    case .message(let message): unsafe dispatch(message, buffer)
    case .ping: write { $0.pong() }
    case .pong: loggedIn()
    case .ok: break
    case .error(let text): refused(text)
    }
  }

  /// The server has introduced itself, or tells news.
  private func greeted(_ info: ServerInfo) {
    hosts.learn(info.otherServers)
    self.info = info
    guard case .greeting(let wire) = phase else { return }
    if let objection = info.objection { return lose(objection) }
    phase = .loggingIn(wire)
    write { $0.connect(login, name: name) }
  }

  private func loggedIn() {
    guard case .loggingIn(let wire) = phase else { return }
    phase = .up(wire)
    hosts.succeeded()
    reason = nil
    write {
      $0.subscribe("_INBOX.\(epoch).>", number: 1)
      $0.subscribe(hears, number: Self.heard)
      if let talks { $0.subscribe(talks, number: Self.talked) }
    }
    owner.linkIsUp()
  }

  private func refused(_ text: String) {
    objection = "NATS says: \(text)"
    guard isUp else { return lose(NATSError(.login, "NATS refuses the login: \(text)")) }
    owner.linkNotes("NATS says: \(text)")
  }

  /// The number of the subscription to what is heard.
  private static let heard: UInt64 = 2
  /// That of the subscription to what is said to this process.
  private static let talked: UInt64 = 3

  /// Hands a message to whoever waits for it.
  private func dispatch(_ message: NATSMessage, _ buffer: UnsafeRawBufferPointer) {
    if message.subscription == Self.heard {
      return unsafe owner.linkHears(text(part(buffer, message.subject)))
    }
    if message.subscription == Self.talked {
      return unsafe owner.linkHears(
        text(part(buffer, message.subject)),
        from: text(part(buffer, message.reply)),
        part(buffer, message.payload)
      )
    }
    if let ack = unsafe AckSubject(buffer, message.reply) {
      if let calls, unsafe text(part(buffer, ack.stream)) == calls {
        return unsafe owner.linkBrings(NATSValue(message, ack, in: buffer))
      }
      guard let generation = unsafe generation(part(buffer, ack.consumer)),
        let consumer = consumers[generation]
      else { return }
      return unsafe consumer.received(NATSValue(message, ack, in: buffer))
    }
    let subject = unsafe part(buffer, message.subject)
    guard let dot = unsafe subject.lastIndex(of: 0x2E) else { return }
    let last = unsafe UnsafeRawBufferPointer(rebasing: subject[(dot + 1)...])
    let headers = unsafe NATSHeaders(buffer, message.headers)
    if unsafe last.first == 0x63 {
      let digits = unsafe UnsafeRawBufferPointer(rebasing: last.dropFirst())
      guard let generation = unsafe UInt64(digits: digits), let consumer = consumers[generation],
        let status = headers.status
      else { return }
      consumer.received(status, pending: headers.pendingMessages ?? 0)
    } else if let number = unsafe UInt64(digits: last),
      let answer = requests.removeValue(forKey: number)
    {
      unsafe answer(NATSReply(part(buffer, message.payload), status: headers.status))
    }
  }

  /// The generation in the name of a consumer of this process.
  private func generation(_ name: UnsafeRawBufferPointer) -> UInt64? {
    guard let dash = unsafe name.lastIndex(of: 0x2D) else { return nil }
    return unsafe UInt64(digits: UnsafeRawBufferPointer(rebasing: name[(dash + 1)...]))
  }
}
