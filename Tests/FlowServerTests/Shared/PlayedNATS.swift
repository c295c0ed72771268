import FlowNATS
import FlowServerSupport
import FlowTestSupport
import Foundation

@testable import FlowServer

/// A NATS with JetStream that the test plays: as much of it as Flow uses, and what goes wrong with it.
///
/// It lives on the server's queue, and answers in a turn after the one that asked.
///
/// Unchecked: it is touched on that queue only.
final class PlayedNATS: NATSDialer, @unchecked Sendable {
  struct Message: Equatable {
    var sequence: UInt64
    var subject: String
    var headers: String
    var payload: [UInt8]
    /// When it was stored.
    var time: Int64 = 0
    var text: String { String(decoding: payload, as: UTF8.self) }
  }

  final class Consumer {
    let name: String
    let start: UInt64
    let acknowledges: Bool
    let server: String
    /// The one subject whose messages it wants, if it does not want all.
    let filter: String?
    var next: UInt64
    var floor: UInt64
    var delivered = 0
    /// Whether its metadata has `flow-initial`.
    var isInitial = false
    /// What is asked for and has not come, with where it is asked for.
    var pulls: [(reply: String, count: Int)] = []
    /// All that was ever asked for, and all that was given, or said not to come.
    var asked = 0
    var given = 0

    init(
      _ name: String,
      _ start: UInt64,
      _ acknowledges: Bool,
      _ server: String = "",
      filter: String? = nil
    ) {
      self.filter = filter
      (self.name, self.start, next, floor) = (name, start, start, start - 1)
      self.server = server
      self.acknowledges = acknowledges
    }
  }

  final class Stream {
    var name = ""
    var subjects: [String] = []
    var most = 0
    var refuses = true
    var replicas = 1
    /// The end in its metadata, as it stands in a string of JSON.
    var end: String?
    /// Whether it keeps the newest message of each subject only.
    var keepsNewest = false
    /// How long it keeps a message, in nanoseconds.
    var longest: Int64?
    var messages: [Message] = []
    var last: UInt64 = 0
    var ids: [String: UInt64] = [:]
    var consumers: [String: Consumer] = [:]
    var batch: (id: String, messages: [(subject: String, headers: String, payload: [UInt8])])?
    var first: UInt64 { messages.first?.sequence ?? last + 1 }

    func takes(_ subject: String) -> Bool {
      subjects.contains { $0.hasSuffix(">") ? subject.hasPrefix($0.dropLast()) : $0 == subject }
    }
  }

  /// What goes wrong: the name of a request, `PUBLISH` or `PUBLISH STREAM`, and how.
  enum Fault: Equatable {
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

  var streams: [String: Stream] = [:]
  /// The next faults of each kind of request, first in first.
  var faults: [String: [Fault]] = [:]
  /// What was asked for, in order; of the stream of names with `NAMES` in front.
  var requests: [String] = []
  /// What was said to another server about a call: where to, from where, and what.
  var said: [(peer: String, own: String, text: String)] = []
  var isThere = true
  /// How many replicas a stream may have: 1 where NATS is no cluster.
  var mostReplicas = 5
  /// Other processes that have a connection.
  var processes: Set<String> = []
  var info = #"{"version":"2.15.1","headers":true,"max_payload":1048576}"#
  /// Whether the end of a subject is heard of by whoever listens.
  var heardBySubject = true
  /// What every list of consumers has beside them.
  var listed = ""
  /// An additional row in every list of consumers.
  var forgedRow: String?
  private let engine: Engine
  private var wire: Wire?
  private var lateAnswers: [() -> Void] = []
  private var late: () -> Void = {}

  init(_ engine: Engine) { self.engine = engine }

  func dial(_ address: String, opened: @escaping (Result<any NATSWire, NATSError>) -> Void) {
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
  func answerLate() {
    let answers = lateAnswers
    lateAnswers = []
    for answer in answers { answer() }
  }

  /// Stores what there was no room for.
  func storeWhatIsLate() { late() }

  /// The connection is lost, and so are all pulls.
  func disconnect() {
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

  fileprivate func said(_ line: Substring) {
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
    wire?.say("MSG \(reply) 1 \(json.utf8.count)\r\n\(json)\r\n")
  }

  private func status(_ reply: String, _ text: String) {
    let headers = "NATS/1.0 \(text)\r\n\r\n"
    wire?.say("HMSG \(reply) 1 \(headers.utf8.count) \(headers.utf8.count)\r\n\(headers)\r\n")
  }

  private static func error(_ code: Int, _ text: String? = nil) -> String {
    let text = text ?? "error \(code)"
    return #"{"error":{"code":400,"err_code":\#(code),"description":"\#(text)"}}"#
  }

  // MARK: Requests

  /// What stands before the kinds of requests about streams of Flow's own.
  private static func prefix(_ stream: String) -> String {
    ["NAMES", "LEASES", "CALLS"].first { stream == "flow_\($0)" }.map { "\($0) " } ?? ""
  }

  private func request(_ subject: String, _ reply: String, _ payload: String) {
    let words = subject.split(separator: ".").map(String.init)
    let plainKind = words[2] == "NEXT" ? "PULL" : "\(words[0]).\(words[1])"
    let streamName = words[1] == "MSG" ? words[3] : words[2]
    let kind = Self.prefix(streamName) + plainKind
    requests.append(
      plainKind == "PULL"
        ? "\(kind) \(words[4])" : "\(kind) \(words.dropFirst(3).last ?? streamName)"
    )
    let fault = fault(kind)
    if fault == .lost { return }
    if case .refused(let code) = fault {
      return code == 0 ? status(reply, "503") : answer(reply, nil, Self.error(code))
    }
    func json<R>(_ read: (FieldSearch) -> R) -> R {
      Array(payload.utf8).withUnsafeBytes { read(FieldSearch($0)) }
    }
    if plainKind == "STREAM.CREATE" {
      let new = json { configuration($0) }
      if new.replicas > mostReplicas { return answer(reply, nil, Self.error(10074)) }
      if let old = streams[streamName],
        old.most != new.most || old.refuses != new.refuses || old.subjects != new.subjects
      {
        return answer(reply, nil, Self.error(10058))
      }
      let old = streams[streamName]
      streams[streamName] = old ?? new
      return answer(reply, fault, describe(old ?? new, isNew: old == nil))
    }
    guard let stream = streams[streamName] else {
      return plainKind == "PULL"
        ? status(reply, "503") : answer(reply, fault, Self.error(10059))
    }
    switch plainKind {
    case "STREAM.UPDATE":
      (stream.subjects, stream.end) = json { (configuration($0).subjects, configuration($0).end) }
      answer(reply, fault, describe(stream))
    case "STREAM.INFO": answer(reply, fault, describe(stream))
    case "STREAM.MSG" where words[2] == "DELETE":
      let sequence = json { $0["seq"]?.number }
      let isThere = stream.messages.contains { $0.sequence == sequence }
      stream.messages.removeAll { $0.sequence == sequence }
      answer(reply, fault, isThere ? #"{"success":true}"# : Self.error(10057))
    case "STREAM.MSG" where json({ $0["next_by_subj"] != nil }):
      let sequence = json { $0["seq"]?.number ?? 0 }
      let found = stream.messages.first { $0.sequence >= sequence && $0.subject.contains(".v.") }
      let message = found.map {
        let headers = Data("NATS/1.0\r\n\($0.headers)\r\n".utf8).base64EncodedString()
        return #"{"message":{"seq":\#($0.sequence),"hdrs":"\#(headers)"}}"#
      }
      answer(reply, fault, message ?? Self.error(10037))
    case "STREAM.MSG":
      let subject = json { $0["last_by_subj"]?.text }
      let found = stream.messages.last { $0.subject == subject }
      let message = found.map {
        let data = Data($0.payload).base64EncodedString()
        return #"{"message":{"seq":\#($0.sequence),"data":"\#(data)"}}"#
      }
      answer(reply, fault, message ?? Self.error(10037))
    case "STREAM.DELETE":
      streams[streamName] = nil
      for consumer in stream.consumers.values { dropPulls(consumer, "409 Consumer Deleted") }
      answer(reply, fault, #"{"success":true}"#)
    case "STREAM.PURGE":
      let before = json { $0["seq"]?.number ?? 0 }
      stream.messages.removeAll { $0.sequence < before }
      answer(reply, fault, #"{"success":true}"#)
    case "CONSUMER.CREATE":
      let filter = json { $0["config"]?["filter_subject"]?.text }
      let (start, acknowledges, server) = json {
        (
          $0["config"]?["opt_start_seq"]?.number ?? 1, $0["config"]?["ack_policy"]?.text == "all",
          $0["config"]?["metadata"]?["flow-server"]?.text ?? ""
        )
      }
      let name = words[3]
      let isInitial = json { $0["config"]?["metadata"]?["flow-initial"]?.text != nil }
      if stream.consumers[name] == nil {
        let place = min(start, stream.last + 1)
        // What it was made with stays as it was said, also if the stream ends before it.
        let new = Consumer(
          name,
          start,
          acknowledges,
          server,
          filter: streamName == "flow_CALLS" ? filter : nil
        )
        (new.next, new.floor) = (place, place - 1)
        new.isInitial = isInitial
        stream.consumers[name] = new
      }
      let pending = stream.messages.count
      answer(reply, fault, #"{"name":"\#(name)","num_pending":\#(pending)}"#)
    case "CONSUMER.DELETE":
      let old = stream.consumers.removeValue(forKey: words[3])
      answer(reply, fault, old == nil ? Self.error(10014) : #"{"success":true}"#)
    case "CONSUMER.LIST": answer(reply, fault, list(stream))
    case "PULL":
      pull(stream, words[4], reply, json { ($0["batch"]?.count ?? 1, $0["no_wait"] != nil) })
    default: answer(reply, fault, Self.error(10003))
    }
  }

  private func configuration(_ json: FieldSearch) -> Stream {
    let stream = Stream()
    stream.name = json["name"]?.text ?? ""
    stream.subjects = json["subjects"]?.elements.compactMap(\.text) ?? []
    stream.most = json["max_msgs"]?.count ?? .max
    stream.keepsNewest = json["max_msgs_per_subject"] != nil
    stream.longest = json["max_age"]?.number.map { Int64($0) }
    stream.refuses = json["discard"]?.text == "new"
    stream.replicas = json["num_replicas"]?.count ?? 1
    stream.end = json["metadata"]?["flow-end"]?.text.map(Self.escaped)
    return stream
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  private func describe(_ stream: Stream, isNew: Bool = false) -> String {
    let subjects = stream.subjects.map { "\"\($0)\"" }.joined(separator: ",")
    let metadata = stream.end.map { "\"flow-end\":\"\($0)\"" } ?? ""
    return
      #"{"config":{"name":"\#(stream.name)","subjects":[\#(subjects)],"max_msgs":\#(stream.most),"#
      + #""discard":"\#(stream.refuses ? "new" : "old")","storage":"file","num_replicas":1,"#
      + #""metadata":{\#(metadata)}},"did_create":\#(isNew),"#
      + #""state":{"messages":\#(stream.messages.count),"first_seq":\#(stream.first),"#
      + #""last_seq":\#(stream.last),"consumer_count":\#(stream.consumers.count)}}"#
  }

  private func list(_ stream: Stream) -> String {
    let rows =
      (forgedRow.map { [$0] } ?? [])
      + stream.consumers.values.map {
        let server = Self.escaped($0.server)
        return #"{"name":"\#($0.name)","config":{"opt_start_seq":\#($0.start),"#
          + #""metadata":{"flow-server":"\#(server)"\#($0.isInitial ? #","flow-initial":"1""# : "")}},"#
          + #""num_pending":\#(stream.last - min(stream.last, $0.floor)),"#
          + #""ack_floor":{"stream_seq":\#($0.floor)}}"#
      }
    return #"{"total":\#(rows.count),"consumers":[\#(rows.joined(separator: ","))]\#(listed)}"#
  }

  // MARK: Values

  private static func id(_ headers: String) -> String? {
    headers.split(separator: "\r\n").first { $0.hasPrefix("Nats-Msg-Id: ") }
      .map { String($0.dropFirst(13)) }
  }

  private func store(_ subject: String, _ reply: String, _ headers: String, _ payload: [UInt8]) {
    func header(_ name: String) -> String? {
      headers.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }
        .map { String($0.dropFirst(name.count + 2)) }
    }
    guard let stream = streams.values.first(where: { $0.takes(subject) }) else {
      if !reply.isEmpty { status(reply, "503") }
      return
    }
    var new = [(subject: subject, headers: headers, payload: payload)]
    if let id = header("Nats-Batch-Id") {
      if stream.batch?.id == id { new = (stream.batch?.messages ?? []) + new }
      guard header("Nats-Batch-Commit") != nil else { return stream.batch = (id, new) }
      stream.batch = nil
    }
    let text = new.map { String(decoding: $0.payload, as: UTF8.self) }.joined(separator: ",")
    let kind = Self.prefix(stream.name) + "PUBLISH"
    requests.append("\(kind) \(text)")
    let fault = fault("\(kind) \(stream.name)") ?? fault(kind)
    if fault == .lost { return }
    if case .refused(let code) = fault {
      // As a real one does, though it stores nothing of the batch.
      if new.count > 1, [10023, 10028, 10047].contains(code) {
        for id in new.compactMap({ Self.id($0.headers) }) { stream.ids[id] = stream.last }
      }
      return code == 0 ? status(reply, "503") : answer(reply, nil, Self.error(code))
    }
    if case .stored(let count, let answers) = fault {
      for id in new.compactMap({ Self.id($0.headers) }) { stream.ids[id] = stream.last }
      add(Array(new.prefix(count)), to: stream)
      late = { [self] in add(Array(new.dropFirst(count)), to: stream) }
      return answers ? answer(reply, nil, Self.error(10023)) : ()
    }
    let ids = new.compactMap { Self.id($0.headers) }
    if let before = ids.compactMap({ stream.ids[$0] }).first {
      let again = #"{"stream":"s","seq":\#(before),"duplicate": true}"#
      return answer(reply, fault, new.count > 1 ? Self.error(10201) : again)
    }
    expire(stream)
    let last = stream.messages.last { $0.subject == subject }?.sequence ?? 0
    if let expected = header("Nats-Expected-Last-Subject-Sequence"), last != UInt64(expected) {
      return answer(reply, fault, Self.error(10071, "wrong last sequence: \(last)"))
    }
    if stream.refuses, stream.messages.count + new.count > stream.most {
      return answer(reply, fault, Self.error(10077))
    }
    add(new, to: stream)
    for id in ids { stream.ids[id] = stream.last }
    answer(reply, fault, #"{"stream":"s","seq":\#(stream.last)}"#)
  }

  /// Stores a value that comes from elsewhere.
  func put(
    _ text: String,
    at subject: String? = nil,
    into name: String,
    headers: String = ""
  ) {
    guard let stream = streams["flow_\(name)"] else { return }
    let place = headers.hasPrefix("Flow-End") ? "e" : "v"
    add([(subject ?? "flow.\(place).\(name)", headers, Array(text.utf8))], to: stream)
  }

  private func expire(_ stream: Stream) {
    guard let longest = stream.longest else { return }
    stream.messages.removeAll { engine.now - $0.time >= longest }
  }

  /// Forgets what was pulled of the stream of names, so that more of it is heard when it is read anew.
  func losePullsOfNames() {
    for consumer in streams["flow_NAMES"]?.consumers.values ?? [:].values { consumer.pulls = [] }
  }

  /// Deletes a stream, as somebody may by hand.
  func deleteStream(_ name: String) {
    let stream = streams.removeValue(forKey: "flow_\(name)")
    for consumer in stream?.consumers.values ?? [:].values {
      dropPulls(consumer, "409 Consumer Deleted")
    }
  }

  /// Has another server take a lease away from the one that has it.
  func steal(_ name: String) {
    streams["flow_LEASES"]?.messages.removeAll()
    lease(name)
  }

  /// Takes or renews a lease, as another server would.
  func lease(_ name: String) {
    guard let stream = streams["flow_LEASES"] else { return }
    add([("flow.l.\(name)", "", Array("other".utf8))], to: stream)
  }

  /// Loses the values of a stream behind place `last`, as after a loss of power.
  func loseEnd(of name: String, behind last: UInt64) {
    guard let stream = streams["flow_\(name)"] else { return }
    stream.messages.removeAll { $0.sequence > last }
    stream.last = last
    stream.ids = stream.ids.filter { $0.value <= last }
    disconnect()
  }

  /// Sends the Flow server a line and a payload as another client of NATS could.
  func forge(_ line: String, _ payload: String = "") {
    wire?.say("\(line) \(payload.utf8.count)\r\n\(payload)\r\n")
  }

  /// The place of the definition of `name`.
  func definition(of name: String) -> UInt64 {
    streams["flow_NAMES"]?.messages.last { $0.subject == "flow.n.\(name)" }?.sequence ?? 0
  }

  /// Has a consumer of another server that has acknowledged so far.
  func consume(
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
  func define(_ name: String, _ text: String) {
    guard let stream = streams["flow_NAMES"] else { return }
    add([("flow.n.\(name)", "", Array(text.utf8))], to: stream)
  }

  /// Removes the definition of a name, as another server does when there is no room to store that it was deleted.
  func removeDefinition(of name: String, isHeard: Bool) {
    streams["flow_NAMES"]?.messages.removeAll { $0.subject == "flow.n.\(name)" }
    if isHeard { wire?.say("MSG flow.e.NAMES 2 0\r\n\r\n") } else { disconnect() }
  }

  private func add(
    _ new: [(subject: String, headers: String, payload: [UInt8])],
    to stream: Stream
  ) {
    for (subject, headers, payload) in new {
      if subject.hasPrefix("flow.e."), heardBySubject { wire?.say("MSG \(subject) 2 0\r\n\r\n") }
      stream.last += 1
      let sequence = stream.last
      if stream.keepsNewest { stream.messages.removeAll { $0.subject == subject } }
      stream.messages.append(
        Message(
          sequence: sequence,
          subject: subject,
          headers: headers,
          payload: payload,
          time: engine.now
        )
      )
      if !stream.refuses, stream.messages.count > stream.most { stream.messages.removeFirst() }
    }
    for consumer in stream.consumers.values { deliver(stream, consumer) }
  }

  private func pull(_ stream: Stream, _ name: String, _ reply: String, _ wish: (Int, Bool)) {
    guard let consumer = stream.consumers[name] else { return status(reply, "503") }
    if wish.1 {
      let waits = stream.messages.contains { $0.sequence >= consumer.next }
      let text = "409 Message Size Exceeds MaxBytes\r\nNats-Pending-Messages: 1"
      return status(reply, waits ? text : "404 No Messages")
    }
    consumer.asked += wish.0
    consumer.pulls.append((reply, wish.0))
    deliver(stream, consumer)
  }

  private func deliver(_ stream: Stream, _ consumer: Consumer) {
    while let pull = consumer.pulls.first,
      let message = stream.messages.first(where: {
        $0.sequence >= consumer.next && (consumer.filter ?? $0.subject) == $0.subject
      })
    {
      if pull.count == 1 { consumer.pulls.removeFirst() } else { consumer.pulls[0].count -= 1 }
      consumer.next = message.sequence + 1
      consumer.delivered += 1
      consumer.given += 1
      let ack =
        "$JS.ACK.\(stream.name).\(consumer.name).1.\(message.sequence)"
        + ".\(consumer.delivered).0.\(stream.messages.count { $0.sequence > message.sequence })"
      let headers = message.headers.isEmpty ? "" : "NATS/1.0\r\n\(message.headers)\r\n"
      wire?.say(
        "HMSG \(message.subject) 1 \(ack) \(headers.utf8.count)"
          + " \(headers.utf8.count + message.payload.count)\r\n\(headers)"
      )
      wire?.say(message.payload + Array("\r\n".utf8))
    }
  }

  /// Says something about a call, as another server would.
  func say(_ text: String, at subject: String, from reply: String = "") {
    wire?.say("MSG \(subject) 3 \(reply) \(text.utf8.count)\r\n\(text)\r\n")
  }

  /// Sends a message that was asked for on a connection which is no more.
  func deliverLate(_ name: String, to consumer: String, _ sequence: UInt64) {
    let ack = "$JS.ACK.flow_\(name).\(consumer).1.\(sequence).1.0.0"
    wire?.say("MSG flow.v.\(name) 1 \(ack) 1\r\n\(sequence)\r\n")
  }

  /// Ends all that is asked for, as when its time is up.
  func dropPulls(_ consumer: Consumer, _ text: String) {
    for pull in consumer.pulls {
      consumer.given += pull.count
      status(pull.reply, "\(text)\r\nNats-Pending-Messages: \(pull.count)")
    }
    consumer.pulls = []
  }

  private func acknowledge(_ subject: String, _ reply: String, _ text: String) {
    let words = subject.split(separator: ".").map(String.init)
    if let stream = streams[words[2]], stream.name == "flow_CALLS" {
      requests.append("CALLS \(text) \(words[5])")
      if text == "+ACK" { stream.messages.removeAll { "\($0.sequence)" == words[5] } }
      return
    }
    requests.append("ACK \(words[5])")
    let fault = fault("ACK")
    if fault == .lost { return }
    if let consumer = streams[words[2]]?.consumers[words[3]], let sequence = UInt64(words[5]) {
      consumer.floor = max(consumer.floor, sequence)
    }
    answer(reply, fault, "")
  }

  /// A connection of the server to this NATS.
  fileprivate final class Wire: NATSWire {
    weak var receiver: (any NATSReceiver)?
    private let nats: PlayedNATS
    private var unread: [UInt8] = []
    private var input: [UInt8] = []
    private var isDelivering = false

    init(_ nats: PlayedNATS) { self.nats = nats }

    func close() { receiver = nil }

    func send(_ bytes: [UInt8]) {
      input += bytes
      while let line = takeLine() {
        let words = line.split(separator: " ").map(String.init)
        guard words[0] == "PUB" || words[0] == "HPUB" else {
          nats.said(line[...])
          continue
        }
        let hasHeaders = words[0] == "HPUB"
        let count = Int(words[words.count - 1]) ?? 0
        let headers = hasHeaders ? Int(words[words.count - 2]) ?? 0 : 0
        let reply = words.count == (hasHeaders ? 5 : 4) ? words[2] : ""
        let body = Array(input.prefix(count))
        input.removeFirst(count + 2)
        let head = String(decoding: body.prefix(headers), as: UTF8.self)
          .replacing("NATS/1.0\r\n", with: "")
        nats.published(
          words[1],
          reply,
          String(head.hasSuffix("\r\n\r\n") ? head.dropLast(1) : head[...]),
          Array(body.dropFirst(headers))
        )
      }
    }

    private func takeLine() -> String? {
      guard let end = input.firstIndex(of: 0x0A) else { return nil }
      defer { input.removeFirst(end + 1) }
      return String(decoding: input[..<end].filter { $0 != 0x0D }, as: UTF8.self)
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

/// A server whose NATS the test plays.
final class PlayedServer {
  let server: TestServer
  private let nats: PlayedNATS

  /// Starts one, of whose NATS `prepare` says what is so from the start.
  init(
    _ configuration: Configuration = Configuration(),
    lines: String...,
    prepare: @escaping @Sendable (PlayedNATS) -> Void = { _ in }
  ) throws {
    var configuration = configuration
    configuration.nats = ["nats:4222"]
    configuration.connectsToNATS = false
    server = try TestServer(configuration)
    nats = server.server.perform { engine in
      let nats = PlayedNATS(engine)
      prepare(nats)
      let store = SharedSubjects(engine: engine, dialer: nats)
      engine.stores.add(store)
      store.start()
      return nats
    }
    settle()
    if !lines.isEmpty {
      let client = try server.connect()
      for line in lines { _ = try client.ask(line) }
    }
  }

  /// A client that has said HELLO and these lines.
  func framed(_ lines: String...) throws -> TestClient {
    let client = try server.framed()
    for line in lines { _ = try client.ask(line) }
    return client
  }

  /// Sends lines, and lets them arrive and what they cause come to rest.
  func say(_ client: TestClient, _ lines: String) throws {
    try client.say(lines)
    try client.waitForArrival()
    settle()
  }

  /// Closes a connection, and waits until the server knows it.
  func close(_ client: TestClient) throws {
    let count = server.server.perform { $0.clients.count }
    client.close()
    try server.wait(for: "the server to drop a client") { $0.clients.count < count }
  }

  /// Does something with NATS, as a turn of the server.
  @discardableResult
  func play<R: Sendable>(_ body: @escaping @Sendable (PlayedNATS) -> R) -> R {
    server.server.perform { [nats] _ in body(nats) }
  }

  func fail(_ kind: String, _ faults: PlayedNATS.Fault...) {
    play { $0.faults[kind] = faults }
  }

  /// The values that the stream of `name` holds.
  func stored(_ name: String) -> [String] {
    play { $0.streams["flow_\(name)"]?.messages.map(\.text) ?? [] }
  }

  /// The requests since the last call, of this kind.
  func takeRequests(_ kind: String) -> [String] {
    play { nats in
      defer { nats.requests.removeAll { $0.hasPrefix(kind) } }
      return nats.requests.filter { $0.hasPrefix(kind) }
    }
  }

  /// Lets all that is under way come to rest, then lets time pass.
  func advance(seconds: Double) {
    settle()
    var left = seconds
    // Timers and answers take turns: each second a few answers may come.
    while left > 0 {
      server.advance(seconds: min(0.25, left))
      settle()
      left -= 0.25
    }
  }

  /// Lets answers come that are on their way, and what clients have said be read.
  func settle() { for _ in 0..<12 { server.readWhatWaits() } }
}
