/// The connection to NATS with its pending requests; it reconnects whenever it is lost.
///
/// Unchecked: it is used only on its owner's serial queue.
package final class NATSLink: @unchecked Sendable {
  private enum Phase {
    case idle
    case dialling
    /// Waits for the server's INFO.
    case greeting(any NATSWire)
    /// Waits for the server's PONG.
    case loggingIn(any NATSWire)
    case up(any NATSWire)
    case stopped
  }

  /// The unique prefix of this process's names on every server.
  package let epoch: String
  private let login: NATSLogin
  private let name: String
  private let hears: String
  private let talks: String?
  private let calls: String?
  private let dialer: any NATSDialer
  // Outlives the link, which it stops.
  private unowned let owner: any NATSLinkOwner

  private var phase = Phase.idle
  /// Counts connections, to recognize late events of earlier ones.
  private var attempt = 0
  private var hosts: HostList
  private var decoder = NATSDecoder()
  private var writer = NATSWriter()
  /// The INFO of the server, once received.
  package private(set) var info: ServerInfo?
  /// The longest value that can be sent; NATS's default before INFO arrives.
  package var longestValue: Int { (info ?? ServerInfo()).longestValue }
  /// Why the link is down; nil while it is up.
  package private(set) var reason: NATSError?
  private var objection: String?
  private var pulse = NATSPulse()
  private var requests = NATSRequests()
  private var consumers: [UInt64: any NATSConsumer] = [:]

  /// Makes a link that passes three kinds of messages to its owner, besides the answers to
  /// requests.
  ///
  /// Of subjects like `hears` it passes the subject, of those like `talks` the payload too, and
  /// from the stream `calls` the values.
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

  package func start() {
    guard case .idle = phase else { return }
    dial()
  }

  /// Stops for good; pending requests get no answer.
  package func stop() {
    wire?.close()
    phase = .stopped
    attempt += 1
    _ = requests.removeAll()
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
      case .failure(let error): reconnect(error)
      }
    }
  }

  private func opened(_ wire: any NATSWire) {
    wire.receiver = self
    phase = .greeting(wire)
    decoder = NATSDecoder()
    objection = nil
    pulse = NATSPulse(now: owner.now)
    checkPulse(attempt)
  }

  /// Checks the connection every second, and sends pings.
  private func checkPulse(_ attempt: Int) {
    owner.after(NATSPulse.second) { [weak self] in
      guard let self, self.attempt == attempt else { return }
      switch pulse.check(at: owner.now, isUp: isUp) {
      case .isLost: return reconnect(NATSError(.lost, "nothing was heard of NATS for 5 s"))
      case .needsPing: write { $0.ping() }
      case .isFine: break
      }
      checkPulse(attempt)
    }
  }

  /// Gives up the connection, and tries the next server after a delay.
  private func reconnect(_ error: NATSError) {
    if case .stopped = phase { return }
    wire?.close()
    attempt += 1
    phase = .dialling
    let isNews = reason != error
    reason = error
    for answer in requests.removeAll() { answer(.missing) }
    if isNews { owner.linkIsAway(error) }
    let attempt = attempt
    owner.after(hosts.delay()) { [weak self] in
      if let self, self.attempt == attempt { dial() }
    }
  }

  // MARK: Sending

  /// Writes to the server if there is a connection.
  private func write(_ body: (inout NATSWriter) -> Void) {
    guard let wire else { return }
    body(&writer)
    wire.send(writer.bytes)
    writer.removeAll()
  }

  /// Publishes if the link is up.
  package func publish(_ body: (inout NATSWriter) -> Void) {
    if isUp { write(body) }
  }

  /// Returns a reply subject; `answer` is called once, after the timeout without an answer.
  package func expect(
    within nanoseconds: Int64 = 5_000_000_000,
    _ answer: @escaping (NATSReply) -> Void
  ) -> String {
    let number = requests.add(answer)
    owner.after(nanoseconds) { [weak self] in self?.requests.remove(number)?(.missing) }
    return "_INBOX.\(epoch).\(number)"
  }

  /// Sends a request; if the link is down, `answer` gets `missing` in a later turn.
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

  /// A unique name for the consumer of this generation.
  package func consumerName(_ generation: UInt64) -> String { "s-\(epoch)-\(generation)" }

  /// Sends the values and statuses of a consumer's generation to `consumer`.
  package func attach(_ consumer: any NATSConsumer, _ generation: UInt64) {
    consumers[generation] = consumer
  }

  package func detach(_ generation: UInt64) { consumers[generation] = nil }

  /// Sends a request of a consumer's generation; the answers are values or a status.
  package func pull(_ request: JetStreamRequest, _ generation: UInt64) {
    publish {
      let reply = "_INBOX.\(epoch).c\(generation)"
      $0.publish(request.subject, reply: reply, Array(request.payload.utf8))
    }
  }
}

extension NATSLink: NATSReceiver {
  package func wireClosed(_ reason: String) { reconnect(NATSError(.lost, objection ?? reason)) }

  package func received(_ buffer: UnsafeRawBufferPointer) -> Int {
    pulse.lastHeard = owner.now
    var offset = 0
    let attempt = attempt
    do throws(NATSError) {
      while self.attempt == attempt, let frame = try unsafe decoder.next(buffer, &offset) {
        unsafe handle(frame, buffer)
      }
    } catch {
      reconnect(error)
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

  /// Handles the server's INFO, the first one or an update.
  private func greeted(_ info: ServerInfo) {
    hosts.learn(info.otherServers)
    self.info = info
    guard case .greeting(let wire) = phase else { return }
    if let objection = info.objection { return reconnect(objection) }
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
    guard isUp else { return reconnect(NATSError(.login, "NATS refuses the login: \(text)")) }
    owner.linkNotes("NATS says: \(text)")
  }

  /// The number of the subscription to `hears`.
  private static let heard: UInt64 = 2
  /// The number of the subscription to `talks`.
  private static let talked: UInt64 = 3

  /// Passes a message to its receiver.
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
      let answer = requests.remove(number)
    {
      unsafe answer(NATSReply(part(buffer, message.payload), status: headers.status))
    }
  }

  /// Parses the generation in the name of a consumer of this process.
  private func generation(_ name: UnsafeRawBufferPointer) -> UInt64? {
    guard let dash = unsafe name.lastIndex(of: 0x2D) else { return nil }
    return unsafe UInt64(digits: UnsafeRawBufferPointer(rebasing: name[(dash + 1)...]))
  }
}
