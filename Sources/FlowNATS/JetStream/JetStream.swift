package struct JetStreamRequest: Equatable, Sendable {
  package var subject: String
  package var payload: String

  package init(_ subject: String, _ payload: String = "") {
    self.subject = subject
    self.payload = payload
  }
}

/// The names of Flow's streams, subjects and consumers in JetStream, and the requests about them.
package struct JetStream: Equatable, Sendable {
  private let prefix: String
  private let api: String

  /// Prefixes all names with `prefix`; `domain` is for a NATS server that is a leaf node of it.
  package init(prefix: String = "flow", domain: String? = nil) {
    self.prefix = prefix
    api = domain.map { "$JS.\($0).API." } ?? "$JS.API."
  }

  package func stream(_ name: String) -> String { "\(prefix)_\(Self.token(name))" }

  /// The NATS subject of the values of `name`.
  package func values(_ name: String) -> String { "\(prefix).v.\(Self.levels(name))" }

  /// The NATS subject of the end of `name`.
  package func end(_ name: String) -> String { "\(prefix).e.\(Self.levels(name))" }

  /// Encodes a name as one token of NATS, with `+` for each `/`; no name contains a `+`.
  package static func token(_ name: String) -> String { exchange("/", by: "+", in: name) }

  /// Decodes a token into a name.
  package static func name(inToken token: String) -> String { exchange("+", by: "/", in: token) }

  /// Converts the levels of a name to those of a NATS subject.
  private static func levels(_ name: String) -> String { exchange("/", by: ".", in: name) }

  private static func exchange(_ old: Character, by new: Character, in text: String) -> String {
    text.contains(old) ? String(text.map { $0 == old ? new : $0 }) : text
  }

  /// The timeout of a read-only request, in nanoseconds: a server that has just started may miss
  /// requests.
  package static let patience: Int64 = 1_000_000_000

  // MARK: Streams

  package func create(_ name: String, _ settings: StreamSettings) -> JetStreamRequest {
    JetStreamRequest("\(api)STREAM.CREATE.\(stream(name))", configuration(name, settings))
  }

  package func update(_ name: String, _ settings: StreamSettings) -> JetStreamRequest {
    JetStreamRequest("\(api)STREAM.UPDATE.\(stream(name))", configuration(name, settings))
  }

  private func configuration(_ name: String, _ settings: StreamSettings) -> String {
    let subjects = settings.takesNoValues ? "" : "\"\(values(name))\","
    return "{\"name\":\"\(stream(name))\",\"subjects\":[\(subjects)\"\(end(name))\"]"
      + ",\"retention\":\"limits\",\"storage\":\"\(settings.storage.rawValue)\""
      + ",\"num_replicas\":\(settings.replicas),\"max_msgs\":\(settings.mostMessages)"
      + ",\"discard\":\"\(settings.refusesWhenFull ? "new" : "old")\",\"allow_atomic\":true"
      + (settings.end.map { ",\"metadata\":{\"\(Self.end)\":\"\(Self.escaped($0))\"}" } ?? "")
      + ",\"duplicate_window\":\(Self.repetitionWindow)}"
  }

  /// How long NATS recognizes a repeated message id, in nanoseconds.
  private static let repetitionWindow: Int64 = 120_000_000_000

  package func info(_ name: String) -> JetStreamRequest {
    JetStreamRequest("\(api)STREAM.INFO.\(stream(name))")
  }

  package func delete(_ name: String) -> JetStreamRequest {
    JetStreamRequest("\(api)STREAM.DELETE.\(stream(name))")
  }

  package func purge(_ name: String, before sequence: UInt64) -> JetStreamRequest {
    JetStreamRequest("\(api)STREAM.PURGE.\(stream(name))", "{\"seq\":\(sequence)}")
  }

  /// Requests the end message of a subject.
  package func findEnd(_ name: String) -> JetStreamRequest { findLast(at: end(name), of: name) }

  /// Requests the value at `sequence`, or the next one after it.
  package func findValue(of name: String, from sequence: UInt64) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)STREAM.MSG.GET.\(stream(name))",
      "{\"seq\":\(sequence),\"next_by_subj\":\"\(values(name))\"}"
    )
  }

  /// The name of the consumer that marks a stream whose last values were lost.
  ///
  /// It starts after the last sequence that the stream had; nothing reads from it.
  package static let lossMark = "lost"

  /// Requests the newest message with this NATS subject in the stream of `name`.
  private func findLast(at subject: String, of name: String) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)STREAM.MSG.GET.\(stream(name))",
      "{\"last_by_subj\":\"\(subject)\"}"
    )
  }

  // MARK: Names

  /// The stream of definitions; no Flow name can equal it.
  package static let names = "NAMES"

  /// The definition of a deleted name.
  package static let deleted = "DELETE"

  /// The NATS subject of the definition of `name`.
  package func definition(_ name: String) -> String { "\(prefix).n.\(Self.token(name))" }

  /// The name whose definition is published at `subject`; nil for other subjects.
  package func name(definedAt subject: String) -> String? {
    Self.rest(of: subject, behind: definition(""))
  }

  package func findDefinition(_ name: String) -> JetStreamRequest {
    findLast(at: definition(name), of: Self.names)
  }

  /// The NATS subject that announces a removed definition; no stream stores it.
  package var removals: String { end(Self.names) }

  private static func rest(of subject: String, behind start: String) -> String? {
    subject.hasPrefix(start) ? name(inToken: String(subject.dropFirst(start.count))) : nil
  }

  /// Creates the stream of definitions, which keeps the newest of each name.
  package func createNames(replicas: Int) -> JetStreamRequest {
    createNewest(Self.names, definition(">"), .file, replicas)
  }

  /// The name of the consumer whose metadata replaces the definition at `sequence`.
  ///
  /// It is used when NATS has no room to store a message.
  package static func replacement(at sequence: UInt64) -> String { "e-\(sequence)" }

  /// Returns the sequence of the definition that this consumer replaces.
  package static func definition(replacedBy consumer: String) -> UInt64? {
    consumer.hasPrefix("e-") ? UInt64(consumer.dropFirst(2)) : nil
  }

  /// Creates a stream that keeps the newest message of each subject.
  private func createNewest(
    _ name: String,
    _ subjects: String,
    _ storage: StreamSettings.Storage,
    _ replicas: Int,
    _ limits: String = ""
  ) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)STREAM.CREATE.\(stream(name))",
      "{\"name\":\"\(stream(name))\",\"subjects\":[\"\(subjects)\"]"
        + ",\"retention\":\"limits\",\"storage\":\"\(storage.rawValue)\",\"num_replicas\":\(replicas)"
        + ",\"max_msgs_per_subject\":1\(limits),\"discard\":\"old\"}"
    )
  }

  /// Creates a consumer of the newest definition of each name and of later ones.
  package func createNamesReader(_ consumer: String) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)CONSUMER.CREATE.\(stream(Self.names)).\(consumer)",
      "{\"stream_name\":\"\(stream(Self.names))\",\"config\":{\"name\":\"\(consumer)\""
        + ",\"durable_name\":\"\(consumer)\",\(Self.unacknowledged)"
        + ",\"deliver_policy\":\"last_per_subject\",\"filter_subject\":\"\(definition(">"))\""
        + ",\"inactive_threshold\":60000000000}}"
    )
  }

  // MARK: Leases

  /// The stream of leases; no Flow name can equal it.
  package static let leases = "LEASES"

  /// The NATS subject of the lease of `name`.
  package func lease(_ name: String) -> String { "\(prefix).l.\(Self.token(name))" }

  /// Creates the stream of leases, each of which expires 10 s after its last renewal.
  ///
  /// It is in memory: when a stream has filled the disk, its reader must still get a lease.
  package func createLeases(replicas: Int) -> JetStreamRequest {
    createNewest(Self.leases, lease(">"), .memory, replicas, ",\"max_age\":10000000000")
  }

  package func findLease(_ name: String) -> JetStreamRequest {
    findLast(at: lease(name), of: Self.leases)
  }

  package func deleteMessage(at sequence: UInt64, of name: String) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)STREAM.MSG.DELETE.\(stream(name))",
      "{\"seq\":\(sequence),\"no_erase\":true}"
    )
  }

  // MARK: Calls

  /// The stream of calls that wait for a worker; no Flow name can equal it.
  package static let calls = "CALLS"

  /// The NATS subject of calls to `service`.
  package func calls(of service: String) -> String { "\(prefix).s.\(Self.token(service))" }

  /// The service whose calls are published at `subject`; nil for other subjects.
  package func service(calledAt subject: String) -> String? {
    Self.rest(of: subject, behind: calls(of: ""))
  }

  /// The NATS subject of messages to the process of `epoch`, about one call or all.
  package func talk(_ epoch: String, _ call: String = ">") -> String {
    "\(prefix).c.\(epoch).\(call)"
  }

  /// Probes whether a process is running: it does not answer, but NATS reports a missing receiver
  /// at once.
  package func isThere(_ epoch: String) -> JetStreamRequest {
    JetStreamRequest(talk(epoch, "here"), "")
  }

  /// Creates the stream of calls.
  ///
  /// A call that no worker takes expires after 30 s; its caller, if still waiting, offers it again.
  package func createCalls(replicas: Int) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)STREAM.CREATE.\(stream(Self.calls))",
      "{\"name\":\"\(stream(Self.calls))\",\"subjects\":[\"\(calls(of: ">"))\"]"
        + ",\"retention\":\"workqueue\",\"storage\":\"memory\",\"num_replicas\":\(replicas)"
        + ",\"max_msgs\":100000,\"max_age\":30000000000,\"discard\":\"new\""
        + ",\"duplicate_window\":5000000000}"
    )
  }

  /// The name of the consumer through which all servers take the calls of `service`.
  package func taker(of service: String) -> String { "w-\(Self.token(service))" }

  /// Creates that consumer, unless it exists.
  package func createTaker(of service: String) -> JetStreamRequest {
    let name = taker(of: service)
    return JetStreamRequest(
      "\(api)CONSUMER.CREATE.\(stream(Self.calls)).\(name).\(calls(of: service))",
      "{\"stream_name\":\"\(stream(Self.calls))\",\"config\":{\"name\":\"\(name)\""
        + ",\"durable_name\":\"\(name)\",\"ack_policy\":\"explicit\",\"ack_wait\":10000000000"
        + ",\"max_ack_pending\":-1,\"deliver_policy\":\"all\""
        + ",\"filter_subject\":\"\(calls(of: service))\",\"inactive_threshold\":300000000000}}"
    )
  }

  /// Whether Flow reserves the stream of this name for itself.
  package static func isOwn(_ name: String) -> Bool {
    name == names || name == leases || name == calls
  }

  // MARK: Consumers

  private static let unacknowledged =
    "\"ack_policy\":\"none\",\"mem_storage\":true,\"num_replicas\":1"

  package func create(
    consumer: String,
    of name: String,
    _ settings: ConsumerSettings
  ) -> JetStreamRequest {
    let acknowledging =
      settings.acknowledges
      ? "\"ack_policy\":\"all\",\"ack_wait\":\(settings.patience),\"max_ack_pending\":-1"
      : Self.unacknowledged
    return JetStreamRequest(
      "\(api)CONSUMER.CREATE.\(stream(name)).\(consumer)",
      "{\"stream_name\":\"\(stream(name))\",\"config\":{\"name\":\"\(consumer)\""
        + ",\"durable_name\":\"\(consumer)\",\(acknowledging)"
        + ",\"deliver_policy\":\"by_start_sequence\",\"opt_start_seq\":\(settings.start)"
        + (settings.threshold.map { ",\"inactive_threshold\":\($0)" } ?? "")
        + ",\"metadata\":{\"\(Self.server)\":\"\(Self.escaped(settings.server))\""
        + (settings.isInitial ? ",\"\(Self.initial)\":\"1\"" : "") + "}}}"
    )
  }

  /// The metadata key of the server that owns a consumer.
  static let server: StaticString = "flow-server"
  /// The metadata key of a consumer whose reader was given the subject's initial value.
  static let initial: StaticString = "flow-initial"

  /// The metadata key of a stream whose subject has ended; the value says how.
  static let end: StaticString = "flow-end"

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      guard scalar < " " || scalar == "\"" || scalar == "\\" else { return String(scalar) }
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }

  package func delete(consumer: String, of name: String) -> JetStreamRequest {
    JetStreamRequest("\(api)CONSUMER.DELETE.\(stream(name)).\(consumer)")
  }

  /// Requests a page of consumers, starting at `offset`.
  package func listConsumers(of name: String, from offset: Int) -> JetStreamRequest {
    JetStreamRequest("\(api)CONSUMER.LIST.\(stream(name))", "{\"offset\":\(offset)}")
  }

  /// Requests `count` values, and heartbeats while none come.
  package func pull(_ count: Int, by consumer: String, of name: String) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)CONSUMER.MSG.NEXT.\(stream(name)).\(consumer)",
      "{\"batch\":\(count),\"expires\":30000000000,\"idle_heartbeat\":5000000000}"
    )
  }

  /// Keeps the consumer alive, and checks whether a value waits without taking it.
  package func signOfLife(by consumer: String, of name: String) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)CONSUMER.MSG.NEXT.\(stream(name)).\(consumer)",
      "{\"batch\":1,\"max_bytes\":1,\"no_wait\":true}"
    )
  }
}

/// The headers of messages that Flow publishes, each with its line end.
package enum PublishHeaders {
  /// Lets NATS store the message only once.
  package static func id(_ id: String) -> String { "Nats-Msg-Id: \(id)\r\n" }

  /// The headers of a single value, or of the first value of a batch.
  ///
  /// `Flow-Id` marks an `id` made by a Flow server, whose number grows from value to value.
  package static func first(id: String) -> String { Self.id(id) + "Flow-Id: 1\r\n" }

  /// The headers of the value at `place`, from 1, in a batch; the last value commits the batch.
  package static func batch(_ id: String, place: Int, isLast: Bool) -> String {
    "Nats-Batch-Id: \(id)\r\nNats-Batch-Sequence: \(place)\r\n"
      + (isLast ? "Nats-Batch-Commit: 1\r\n" : "")
  }

  /// The headers of a subject's end, `done` or `fail CODE`, which is stored at most once.
  package static func end(_ end: String) -> String { "Flow-End: \(end)\r\n" + after(0) }

  /// Stores a message only if the last one of its NATS subject is at `sequence`; 0 is none.
  package static func after(_ sequence: UInt64) -> String {
    "Nats-Expected-Last-Subject-Sequence: \(sequence)\r\n"
  }
}
