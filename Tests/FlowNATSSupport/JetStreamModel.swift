import FlowNATS
import Foundation

/// JetStream, as much of it as Flow uses: streams, consumers and the requests about them.
///
/// It knows no connection. What it says goes through `send`, and the answer to a request to whoever made it. It
/// does not send again what a consumer has not acknowledged in time.
package final class JetStreamModel {
  /// A request to JetStream, by the words of its subject.
  package struct Request {
    /// `STREAM.CREATE` and so on; a request for messages is `PULL`.
    package let kind: String
    package let stream: String
    /// The rest of the words: the name of a consumer, or what a request about messages is.
    package let words: [String]

    /// Reads the subject behind `$JS.API.`; nil if it has too few words.
    package init?(_ subject: String) {
      let words = subject.split(separator: ".").map(String.init)
      guard words.count > 2 else { return nil }
      if words[1] == "MSG" {
        guard words.count > 3 else { return nil }
        let isPull = words[2] == "NEXT"
        kind = isPull ? "PULL" : "STREAM.MSG.\(words[2])"
        stream = words[3]
        self.words = Array(words.dropFirst(4))
      } else {
        kind = "\(words[0]).\(words[1])"
        stream = words[2]
        self.words = Array(words.dropFirst(3))
      }
    }

    package var consumer: String { words.first ?? "" }
  }

  package enum Reply {
    case json(String)
    /// The server's own word, such as `503`.
    case status(String)
    /// The answer comes later, as messages.
    case nothing
  }

  package var streams: [String: Stream] = [:]
  /// How many replicas a stream may have: 1 where NATS is no cluster.
  package var mostReplicas = 5
  /// How many messages there is disk for; nil is any number.
  package var room: Int?
  /// Called with the subject of each message before it is stored.
  package var isStoring: (String) -> Void = { _ in }
  let now: () -> Int64
  let send: (NATSOutput) -> Void

  /// Makes one that says things through `send`; `now` returns the time in nanoseconds.
  package init(now: @escaping () -> Int64, send: @escaping (NATSOutput) -> Void) {
    self.now = now
    self.send = send
  }

  package static func error(_ code: Int, _ text: String? = nil) -> String {
    let text = text ?? "error \(code)"
    return #"{"error":{"code":400,"err_code":\#(code),"description":"\#(text)"}}"#
  }

  static let success = #"{"success":true}"#

  // MARK: Requests

  /// Does what is asked for; messages and statuses of a pull go to `reply`.
  package func answer(_ request: Request, _ payload: String, to reply: String) -> Reply {
    Array(payload.utf8).withUnsafeBytes { answer(request, FieldSearch($0), to: reply) }
  }

  private func answer(_ request: Request, _ json: FieldSearch, to reply: String) -> Reply {
    if request.kind == "STREAM.CREATE" { return .json(create(request.stream, configuration(json))) }
    guard let stream = streams[request.stream] else {
      return request.kind == "PULL" ? .status("503") : .json(Self.error(10059))
    }
    switch request.kind {
    case "STREAM.UPDATE":
      let new = configuration(json)
      (stream.subjects, stream.end) = (new.subjects, new.end)
      return .json(describe(stream))
    case "STREAM.INFO": return .json(describe(stream))
    case "STREAM.DELETE":
      delete(stream)
      return .json(Self.success)
    case "STREAM.PURGE":
      let before = json["seq"]?.number ?? 0
      remove(from: stream) { $0.sequence < before }
      return .json(Self.success)
    case "STREAM.MSG.DELETE":
      let sequence = json["seq"]?.number
      let count = remove(from: stream) { $0.sequence == sequence }
      return .json(count > 0 ? Self.success : Self.error(10057))
    case "STREAM.MSG.GET": return .json(find(json, in: stream))
    case "CONSUMER.CREATE":
      return .json(createConsumer(request.consumer, json["config"] ?? json, of: stream))
    case "CONSUMER.DELETE":
      guard let old = stream.consumers.removeValue(forKey: request.consumer) else {
        return .json(Self.error(10014))
      }
      dropPulls(old, "409 Consumer Deleted")
      return .json(Self.success)
    case "CONSUMER.LIST": return .json(Self.list(rows(of: stream)))
    case "PULL":
      let count = json["batch"]?.count ?? 1
      if json["no_wait"] != nil { return .status(look(stream, request.consumer)) }
      let (end, silence) = (json["expires"]?.number, json["idle_heartbeat"]?.number)
      let pull = Pull(
        reply: reply,
        count: count,
        end: end.map { now() + Int64($0) },
        silence: silence.map { Int64($0) },
        heard: now()
      )
      return self.pull(pull, of: stream, request.consumer)
    default: return .json(Self.error(10003))
    }
  }

  // MARK: Streams

  private func create(_ name: String, _ new: Stream) -> String {
    if new.replicas > mostReplicas { return Self.error(10074) }
    guard let old = streams[name] else {
      streams[name] = new
      return describe(new, isNew: true)
    }
    let isSame =
      old.most == new.most && old.refuses == new.refuses && old.subjects == new.subjects
    return isSame ? describe(old) : Self.error(10058)
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
    stream.isInMemory = json["storage"]?.text == "memory"
    stream.isQueue = json["retention"]?.text == "workqueue"
    stream.end = json["metadata"]?["flow-end"]?.text.map(Self.escaped)
    return stream
  }

  static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  private func describe(_ stream: Stream, isNew: Bool = false) -> String {
    let subjects = stream.subjects.map { "\"\($0)\"" }.joined(separator: ",")
    let metadata = stream.end.map { "\"flow-end\":\"\($0)\"" } ?? ""
    let storage = stream.isInMemory ? "memory" : "file"
    return
      #"{"config":{"name":"\#(stream.name)","subjects":[\#(subjects)],"max_msgs":\#(stream.most),"#
      + #""discard":"\#(stream.refuses ? "new" : "old")","storage":"\#(storage)","num_replicas":1,"#
      + #""metadata":{\#(metadata)}},"did_create":\#(isNew),"#
      + #""state":{"messages":\#(stream.messages.count),"first_seq":\#(stream.first),"#
      + #""last_seq":\#(stream.last),"consumer_count":\#(stream.consumers.count)}}"#
  }

  private func find(_ json: FieldSearch, in stream: Stream) -> String {
    expire(stream)
    if json["next_by_subj"] != nil {
      let sequence = json["seq"]?.number ?? 0
      let found = stream.messages.first { $0.sequence >= sequence && $0.subject.contains(".v.") }
      guard let found else { return Self.error(10037) }
      let headers = Data("NATS/1.0\r\n\(found.headers)\r\n".utf8).base64EncodedString()
      return #"{"message":{"seq":\#(found.sequence),"hdrs":"\#(headers)"}}"#
    }
    let subject = json["last_by_subj"]?.text
    guard let found = stream.messages.last(where: { $0.subject == subject }) else {
      return Self.error(10037)
    }
    let data = Data(found.payload).base64EncodedString()
    return #"{"message":{"seq":\#(found.sequence),"data":"\#(data)"}}"#
  }

  /// Removes a stream with its consumers.
  package func delete(_ stream: Stream) {
    streams[stream.name] = nil
    remove(from: stream) { _ in true }
    for consumer in stream.sortedConsumers { dropPulls(consumer, "409 Consumer Deleted") }
  }

  /// Removes messages, which frees the disk; returns how many.
  @discardableResult
  func remove(from stream: Stream, where isOld: (Message) -> Bool) -> Int {
    let before = stream.messages.count
    stream.messages.removeAll(where: isOld)
    let count = before - stream.messages.count
    if !stream.isInMemory { room = room.map { $0 + count } }
    return count
  }

  func expire(_ stream: Stream) {
    guard let longest = stream.longest else { return }
    remove(from: stream) { now() - $0.time >= longest }
  }

  // MARK: Starting again

  /// Forgets what NATS has in memory, and all pulls.
  package func restart() {
    for stream in streams.values {
      stream.batches = [:]
      stream.consumers = stream.consumers.filter { !$0.value.isInMemory && !stream.isInMemory }
      if stream.isInMemory { (stream.messages, stream.last) = ([], 0) }
      let known = stream.messages.map { message in
        (NewMessage(message.subject, message.headers, message.payload).id, message.sequence)
      }
      stream.ids = [:]
      for case (let id?, let place) in known { stream.ids[id] = place }
      for consumer in stream.consumers.values {
        consumer.pulls = []
        consumer.active = now()
        // A consumer is never ahead of its stream.
        consumer.floor = min(consumer.floor, stream.last)
        consumer.next = min(consumer.next, stream.last + 1)
      }
    }
  }
}
