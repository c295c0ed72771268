package import FlowNATS
package import FlowNATSSupport
package import FlowServer

/// A NATS with JetStream that the test plays: a model of it, and what goes wrong with it.
///
/// It lives on the server's queue, and answers in a turn after the one that asked.
///
/// Unchecked: it is touched on that queue only.
package final class PlayedNATS: NATSDialer, @unchecked Sendable {
  package typealias Stream = JetStreamModel.Stream
  package typealias Consumer = JetStreamModel.Consumer

  /// What goes wrong: the name of a request, `PUBLISH` or `PUBLISH STREAM`, and how.
  package enum Fault: Equatable {
    /// It is not heard of.
    case lost
    /// It is done, and the answer is lost.
    case unanswered
    /// It is done, and the answer comes when the test says so.
    case late
    /// It is refused with this number of an error; 503 if it is 0.
    case refused(Int)
    /// There is room for the first so many of a batch; it is refused, or not answered.
    case stored(first: Int, answers: Bool)
  }

  private lazy var model = makeModel()
  package var streams: [String: Stream] {
    get { model.streams }
    set { model.streams = newValue }
  }
  /// The next faults of each kind of request, first in first.
  package var faults: [String: [Fault]] = [:]
  /// What was asked for, in order; of the stream of names with `NAMES` in front.
  package var requests: [String] = []
  /// What was said to another server about a call: where to, from where, and what.
  package var said: [(peer: String, own: String, text: String)] = []
  package var isThere = true
  /// How many replicas a stream may have: 1 where NATS is no cluster.
  package var mostReplicas: Int {
    get { model.mostReplicas }
    set { model.mostReplicas = newValue }
  }
  /// Other processes that have a connection.
  package var processes: Set<String> = []
  package var info = #"{"version":"2.15.1","headers":true,"max_payload":1048576}"#
  /// Whether the end of a subject is heard of by whoever listens.
  package var heardBySubject = true
  /// What every list of consumers has beside them.
  package var listed = ""
  /// An additional row in every list of consumers.
  package var forgedRow: String?
  private let engine: Engine
  private var wire: Wire?
  private var lateAnswers: [() -> Void] = []
  private var late: () -> Void = {}

  package init(_ engine: Engine) { self.engine = engine }

  private func makeModel() -> JetStreamModel {
    let model = JetStreamModel(
      now: { [unowned self] in engine.now },
      send: { [unowned self] in wire?.say($0.bytes(for: "1")) }
    )
    model.isStoring = { [unowned self] subject in
      guard subject.hasPrefix("flow.e."), heardBySubject else { return }
      wire?.say(NATSOutput(to: subject).bytes(for: "2"))
    }
    return model
  }

  package func dial(_ address: String, opened: @escaping (Result<any NATSWire, NATSError>) -> Void)
  {
    later { [self] in
      guard isThere else { return opened(.failure(NATSError(.lost, "connection refused"))) }
      let wire = Wire(self)
      self.wire = wire
      opened(.success(wire))
      wire.say("INFO \(info)\r\n")
    }
  }

  fileprivate func later(_ work: @escaping () -> Void) { engine.nextTurn(work) }

  /// Gives the answers that are late.
  package func answerLate() {
    let answers = lateAnswers
    lateAnswers = []
    for answer in answers { answer() }
  }

  /// Stores what there was no room for.
  package func storeWhatIsLate() { late() }

  /// The connection is lost, and so are all pulls.
  package func disconnect() {
    let old = wire
    wire = nil
    for stream in streams.values { for consumer in stream.consumers.values { consumer.pulls = [] } }
    old?.receiver?.wireClosed("reset")
  }

  private func fault(_ kind: String) -> Fault? {
    guard let first = faults[kind]?.first else { return nil }
    faults[kind]?.removeFirst()
    return first
  }

  // MARK: What Flow says

  fileprivate func said(_ line: String) {
    if line.hasPrefix("PING") { wire?.say("PONG\r\n") }
  }

  fileprivate func published(
    _ subject: String,
    _ reply: String,
    _ headers: String,
    _ payload: [UInt8]
  ) {
    if subject.hasPrefix("$JS.API.") {
      return request(String(subject.dropFirst(8)), reply, String(decoding: payload, as: UTF8.self))
    }
    let text = String(decoding: payload, as: UTF8.self)
    if subject.hasPrefix("$JS.ACK.") { return acknowledge(subject, reply, text) }
    if subject.hasPrefix("flow.c.") {
      said.append((subject, reply, text))
      if subject.hasSuffix(".here"), !processes.contains(String(subject.split(separator: ".")[2])) {
        status(reply, "503")
      }
      return
    }
    store(subject, reply, headers, payload)
  }

  private func answer(_ reply: String, _ fault: Fault?, _ json: String) {
    guard fault != .unanswered, !reply.isEmpty else { return }
    if fault == .late {
      return lateAnswers.append { [weak self] in self?.answer(reply, nil, json) }
    }
    wire?.say(NATSOutput(to: reply, payload: Array(json.utf8)).bytes(for: "1"))
  }

  private func status(_ reply: String, _ text: String) {
    wire?.say(NATSOutput.status(text, to: reply).bytes(for: "1"))
  }

  // MARK: Requests

  /// What stands before the kinds of requests about streams of Flow's own.
  private static func prefix(_ stream: String) -> String {
    ["NAMES", "LEASES", "CALLS"].first { stream == "flow_\($0)" }.map { "\($0) " } ?? ""
  }

  private func request(_ subject: String, _ reply: String, _ payload: String) {
    guard let request = JetStreamModel.Request(subject) else { return }
    let plainKind = request.kind.hasPrefix("STREAM.MSG") ? "STREAM.MSG" : request.kind
    let kind = Self.prefix(request.stream) + plainKind
    let name = plainKind == "PULL" ? request.consumer : request.words.last ?? request.stream
    requests.append("\(kind) \(name)")
    let fault = fault(kind)
    if fault == .lost { return }
    if case .refused(let code) = fault {
      return code == 0 ? status(reply, "503") : answer(reply, nil, JetStreamModel.error(code))
    }
    if plainKind == "CONSUMER.LIST", let stream = streams[request.stream] {
      let rows = (forgedRow.map { [$0] } ?? []) + model.rows(of: stream)
      return answer(reply, fault, JetStreamModel.list(rows, and: listed))
    }
    switch model.answer(request, payload, to: reply) {
    case .json(let json): answer(reply, fault, json)
    case .status(let text): status(reply, text)
    case .nothing: break
    }
  }

  // MARK: Values

  private func store(_ subject: String, _ reply: String, _ headers: String, _ payload: [UInt8]) {
    switch model.take(JetStreamModel.NewMessage(subject, headers, payload)) {
    case .untaken: if !reply.isEmpty { status(reply, "503") }
    case .unfinished: break
    case .ready(let stream, let new): store(new, in: stream, reply)
    }
  }

  private func store(_ new: [JetStreamModel.NewMessage], in stream: Stream, _ reply: String) {
    let text = new.map { String(decoding: $0.payload, as: UTF8.self) }.joined(separator: ",")
    let kind = Self.prefix(stream.name) + "PUBLISH"
    requests.append("\(kind) \(text)")
    let fault = fault("\(kind) \(stream.name)") ?? fault(kind)
    if fault == .lost { return }
    if case .refused(let code) = fault {
      if code == 0 { return status(reply, "503") }
      let isWithoutRoom = [10023, 10028, 10047].contains(code)
      return answer(
        reply,
        nil,
        isWithoutRoom ? model.refuse(new, in: stream, code) : JetStreamModel.error(code)
      )
    }
    if case .stored(let count, let answers) = fault {
      model.remember(new, in: stream)
      model.add(Array(new.prefix(count)), to: stream)
      late = { [model] in model.add(Array(new.dropFirst(count)), to: stream) }
      return answers ? answer(reply, nil, JetStreamModel.error(10023)) : ()
    }
    answer(reply, fault, model.store(new, in: stream))
  }

  /// Stores a value that comes from elsewhere.
  package func put(
    _ text: String,
    at subject: String? = nil,
    into name: String,
    headers: String = ""
  ) {
    guard let stream = streams["flow_\(name)"] else { return }
    let place = headers.hasPrefix("Flow-End") ? "e" : "v"
    add(text, at: subject ?? "flow.\(place).\(name)", headers: headers, to: stream)
  }

  private func add(_ text: String, at subject: String, headers: String = "", to stream: Stream) {
    model.add([JetStreamModel.NewMessage(subject, headers, Array(text.utf8))], to: stream)
  }

  /// Forgets what was pulled of the stream of names, so that more of it is heard when it is read anew.
  package func losePullsOfNames() {
    for consumer in streams["flow_NAMES"]?.consumers.values ?? [:].values { consumer.pulls = [] }
  }

  /// Deletes a stream, as somebody may by hand.
  package func deleteStream(_ name: String) {
    if let stream = streams["flow_\(name)"] { model.delete(stream) }
  }

  /// Has another server take a lease away from the one that has it.
  package func steal(_ name: String) {
    streams["flow_LEASES"]?.messages.removeAll()
    lease(name)
  }

  /// Takes or renews a lease, as another server would.
  package func lease(_ name: String) {
    guard let stream = streams["flow_LEASES"] else { return }
    add("other", at: "flow.l.\(name)", to: stream)
  }

  /// Loses the values of a stream behind place `last`, as after a loss of power.
  package func loseEnd(of name: String, behind last: UInt64) {
    streams["flow_\(name)"]?.loseEnd(behind: last)
    disconnect()
  }

  /// Sends the Flow server a line and a payload as another client of NATS could.
  package func forge(_ line: String, _ payload: String = "") {
    wire?.say("\(line) \(payload.utf8.count)\r\n\(payload)\r\n")
  }

  /// The place of the definition of `name`.
  package func definition(of name: String) -> UInt64 {
    streams["flow_NAMES"]?.messages.last { $0.subject == "flow.n.\(name)" }?.sequence ?? 0
  }

  /// Has a consumer of another server that has acknowledged so far.
  package func consume(
    _ name: String,
    _ consumer: String,
    upTo floor: UInt64,
    by server: String = "elsewhere:4050"
  ) {
    let new = Consumer(consumer, 1, true, server)
    (new.floor, new.next) = (floor, floor + 1)
    streams["flow_\(name)"]?.consumers[consumer] = new
  }

  /// Defines a name, or deletes it, as another server would.
  package func define(_ name: String, _ text: String) {
    guard let stream = streams["flow_NAMES"] else { return }
    add(text, at: "flow.n.\(name)", to: stream)
  }

  /// Removes the definition of a name, as another server does when there is no room to store that it was deleted.
  package func removeDefinition(of name: String, isHeard: Bool) {
    streams["flow_NAMES"]?.messages.removeAll { $0.subject == "flow.n.\(name)" }
    if isHeard { wire?.say("MSG flow.e.NAMES 2 0\r\n\r\n") } else { disconnect() }
  }

  /// Says something about a call, as another server would.
  package func say(_ text: String, at subject: String, from reply: String = "") {
    wire?.say("MSG \(subject) 3 \(reply) \(text.utf8.count)\r\n\(text)\r\n")
  }

  /// Sends a message that was asked for on a connection which is no more.
  package func deliverLate(_ name: String, to consumer: String, _ sequence: UInt64) {
    let ack = "$JS.ACK.flow_\(name).\(consumer).1.\(sequence).1.0.0"
    wire?.say("MSG flow.v.\(name) 1 \(ack) 1\r\n\(sequence)\r\n")
  }

  /// Ends all that is asked for, as when its time is up.
  package func dropPulls(_ consumer: Consumer, _ text: String) { model.dropPulls(consumer, text) }

  private func acknowledge(_ subject: String, _ reply: String, _ text: String) {
    let words = subject.split(separator: ".").map(String.init)
    if words[2] == "flow_CALLS" {
      requests.append("CALLS \(text) \(words[5])")
      model.acknowledge(subject, text)
      return
    }
    requests.append("ACK \(words[5])")
    let fault = fault("ACK")
    if fault == .lost { return }
    model.acknowledge(subject, text)
    answer(reply, fault, "")
  }

  /// A connection of the server to this NATS.
  fileprivate final class Wire: NATSWire {
    weak var receiver: (any NATSReceiver)?
    private let nats: PlayedNATS
    private var unread: [UInt8] = []
    private var input = NATSInput()
    private var isDelivering = false

    init(_ nats: PlayedNATS) { self.nats = nats }

    func close() { receiver = nil }

    func send(_ bytes: [UInt8]) {
      input.add(bytes)
      while let item = input.next() {
        switch item {
        case .line(let line): nats.said(line)
        case .message(let subject, let reply, let headers, let payload):
          nats.published(subject, reply, headers, payload)
        }
      }
    }

    func say(_ text: String) { say(Array(text.utf8)) }

    func say(_ bytes: [UInt8]) {
      unread += bytes
      guard !isDelivering else { return }
      isDelivering = true
      nats.later { [self] in
        isDelivering = false
        let bytes = unread
        unread = []
        let used = bytes.withUnsafeBytes { receiver?.received($0) ?? $0.count }
        unread = Array(bytes[used...]) + unread
      }
    }
  }
}
