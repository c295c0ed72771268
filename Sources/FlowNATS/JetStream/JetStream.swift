/// A message that asks JetStream for something.
package struct JetStreamRequest: Equatable, Sendable {
  package var subject: String
  package var payload: String

  package init(_ subject: String, _ payload: String = "") {
    self.subject = subject
    self.payload = payload
  }
}

/// The names that Flow's subjects have in JetStream, and the requests about them.
package struct JetStream: Equatable, Sendable {
  private let prefix: String
  private let api: String

  /// Makes one whose names begin with `prefix`; with a domain, for a NATS that is a leaf node of it.
  package init(prefix: String = "flow", domain: String? = nil) {
    self.prefix = prefix
    api = domain.map { "$JS.\($0).API." } ?? "$JS.API."
  }

  package func stream(_ name: String) -> String { "\(prefix)_\(Self.token(name))" }

  /// Where the values of the subject called `name` are published.
  package func values(_ name: String) -> String { "\(prefix).v.\(Self.levels(name))" }

  /// Where its end is published.
  package func end(_ name: String) -> String { "\(prefix).e.\(Self.levels(name))" }

  /// A name as one token of NATS, in which there is no `/`, nor a `+` in any name.
  package static func token(_ name: String) -> String { exchange("/", by: "+", in: name) }

  /// The name that stands as one token.
  package static func name(inToken token: String) -> String { exchange("+", by: "/", in: token) }

  /// A name whose levels are those of a subject of NATS.
  private static func levels(_ name: String) -> String { exchange("/", by: ".", in: name) }

  private static func exchange(_ old: Character, by new: Character, in text: String) -> String {
    text.contains(old) ? String(text.map { $0 == old ? new : $0 }) : text
  }

  /// How long to wait for an answer that changes nothing, in nanoseconds: a server that has just started
  /// may not have heard what it was asked.
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

  /// For how long, in nanoseconds, a repetition is known as one.
  private static let repetitionWindow: Int64 = 120_000_000_000

  package func info(_ name: String) -> JetStreamRequest {
    JetStreamRequest("\(api)STREAM.INFO.\(stream(name))")
  }

  package func delete(_ name: String) -> JetStreamRequest {
    JetStreamRequest("\(api)STREAM.DELETE.\(stream(name))")
  }

  /// Drops all values before `sequence`.
  package func purge(_ name: String, before sequence: UInt64) -> JetStreamRequest {
    JetStreamRequest("\(api)STREAM.PURGE.\(stream(name))", "{\"seq\":\(sequence)}")
  }

  /// Asks for the message that is the end of the subject, if there is one.
  package func findEnd(_ name: String) -> JetStreamRequest { findLast(at: end(name), of: name) }

  /// Asks for the value at `sequence`, or the first one behind it.
  package func findValue(of name: String, from sequence: UInt64) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)STREAM.MSG.GET.\(stream(name))",
      "{\"seq\":\(sequence),\"next_by_subj\":\"\(values(name))\"}"
    )
  }

  /// The name of the consumer that marks a stream whose last values were lost: it begins behind the last value that
  /// the stream had, and nobody reads through it.
  package static let lossMark = "lost"

  /// Asks for the newest message of a subject of the stream of `name`.
  private func findLast(at subject: String, of name: String) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)STREAM.MSG.GET.\(stream(name))",
      "{\"last_by_subj\":\"\(subject)\"}"
    )
  }

  // MARK: Names

  /// The stream of definitions, which no subject can be called like.
  package static let names = "NAMES"

  /// What is said of a name that was deleted.
  package static let deleted = "DELETE"

  /// Where the definition of `name` is published.
  package func definition(_ name: String) -> String { "\(prefix).n.\(Self.token(name))" }

  /// The name whose definition is published at `subject`; nil if that is something else.
  package func name(definedAt subject: String) -> String? {
    Self.rest(of: subject, behind: definition(""))
  }

  /// Asks for the definition of `name`, if there is one.
  package func findDefinition(_ name: String) -> JetStreamRequest {
    findLast(at: definition(name), of: Self.names)
  }

  /// Where servers are told that a definition was removed: no stream takes what is published there.
  package var removals: String { end(Self.names) }

  private static func rest(of subject: String, behind start: String) -> String? {
    subject.hasPrefix(start) ? name(inToken: String(subject.dropFirst(start.count))) : nil
  }

  /// Makes the stream of definitions, which keeps the newest of each name.
  package func createNames(replicas: Int) -> JetStreamRequest {
    createNewest(Self.names, definition(">"), .file, replicas)
  }

  /// The name of the consumer that replaces the definition at `sequence` by the text in its metadata, where NATS had
  /// no room to store that as a message.
  package static func replacement(at sequence: UInt64) -> String { "e-\(sequence)" }

  /// The definition that a consumer of this name replaces.
  package static func definition(replacedBy consumer: String) -> UInt64? {
    consumer.hasPrefix("e-") ? UInt64(consumer.dropFirst(2)) : nil
  }

  /// Makes a stream that keeps the newest message of each subject.
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

  /// Makes a consumer of the newest definition of each name, and of what comes then.
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

  /// The stream of leases, which no subject can be called like.
  package static let leases = "LEASES"

  /// Where the lease of `name` is published.
  package func lease(_ name: String) -> String { "\(prefix).l.\(Self.token(name))" }

  /// Makes the stream of leases, each of which is gone 10 s after it was last renewed.
  ///
  /// It is in memory: when a stream has filled the disk, its reader must still get a lease.
  package func createLeases(replicas: Int) -> JetStreamRequest {
    createNewest(Self.leases, lease(">"), .memory, replicas, ",\"max_age\":10000000000")
  }

  /// Asks for the lease of `name`, if somebody has it.
  package func findLease(_ name: String) -> JetStreamRequest {
    findLast(at: lease(name), of: Self.leases)
  }

  /// Deletes one message of the stream of `name`.
  package func deleteMessage(at sequence: UInt64, of name: String) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)STREAM.MSG.DELETE.\(stream(name))",
      "{\"seq\":\(sequence),\"no_erase\":true}"
    )
  }

  // MARK: Calls

  /// The stream of calls that wait for a worker, which no subject can be called like.
  package static let calls = "CALLS"

  /// Where calls of `service` are published.
  package func calls(of service: String) -> String { "\(prefix).s.\(Self.token(service))" }

  /// The service whose calls are published at `subject`; nil if that is something else.
  package func service(calledAt subject: String) -> String? {
    Self.rest(of: subject, behind: calls(of: ""))
  }

  /// Where the process of `epoch` is talked to, about one call or about all.
  package func talk(_ epoch: String, _ call: String = ">") -> String {
    "\(prefix).c.\(epoch).\(call)"
  }

  /// Asks whether a process is there: nobody answers, but NATS says at once if nobody is.
  package func isThere(_ epoch: String) -> JetStreamRequest {
    JetStreamRequest(talk(epoch, "here"), "")
  }

  /// Makes the stream of calls: one that nobody takes is gone after 30 s, and then offered anew by who
  /// still waits for it.
  package func createCalls(replicas: Int) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)STREAM.CREATE.\(stream(Self.calls))",
      "{\"name\":\"\(stream(Self.calls))\",\"subjects\":[\"\(calls(of: ">"))\"]"
        + ",\"retention\":\"workqueue\",\"storage\":\"memory\",\"num_replicas\":\(replicas)"
        + ",\"max_msgs\":100000,\"max_age\":30000000000,\"discard\":\"new\""
        + ",\"duplicate_window\":5000000000}"
    )
  }

  /// The consumer by which all servers take the calls of `service`.
  package func taker(of service: String) -> String { "w-\(Self.token(service))" }

  /// Makes that consumer, or finds it made.
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

  /// Whether Flow has a stream called like the one of `name` for itself.
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

  /// Which of the metadata of a consumer says who has it.
  static let server: StaticString = "flow-server"
  /// And which that its reader was given what the subject had before any value was sent.
  static let initial: StaticString = "flow-initial"

  /// The metadata of a stream that says how its subject has ended.
  static let end: StaticString = "flow-end"

  /// Returns `text` as it stands in a string of JSON.
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

  /// Lists the consumers from the one at place `offset` on, a page of them.
  package func listConsumers(of name: String, from offset: Int) -> JetStreamRequest {
    JetStreamRequest("\(api)CONSUMER.LIST.\(stream(name))", "{\"offset\":\(offset)}")
  }

  /// Asks for `count` values, and for signs of life while they do not come.
  package func pull(_ count: Int, by consumer: String, of name: String) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)CONSUMER.MSG.NEXT.\(stream(name)).\(consumer)",
      "{\"batch\":\(count),\"expires\":30000000000,\"idle_heartbeat\":5000000000}"
    )
  }

  /// Shows that the consumer is still wanted, and asks whether a value waits, without taking it.
  package func signOfLife(by consumer: String, of name: String) -> JetStreamRequest {
    JetStreamRequest(
      "\(api)CONSUMER.MSG.NEXT.\(stream(name)).\(consumer)",
      "{\"batch\":1,\"max_bytes\":1,\"no_wait\":true}"
    )
  }
}

/// The headers of what Flow publishes, each with its line end.
package enum PublishHeaders {
  /// For a message that NATS must store only once.
  package static func id(_ id: String) -> String { "Nats-Msg-Id: \(id)\r\n" }

  /// For a single value, and for the first value of a batch.
  ///
  /// `Flow-Id` says that a Flow server made `id`, so that its number grows from value to value.
  package static func first(id: String) -> String { Self.id(id) + "Flow-Id: 1\r\n" }

  /// Of the value at `place`, from 1, in a batch; the last one has all of them stored.
  package static func batch(_ id: String, place: Int, isLast: Bool) -> String {
    "Nats-Batch-Id: \(id)\r\nNats-Batch-Sequence: \(place)\r\n"
      + (isLast ? "Nats-Batch-Commit: 1\r\n" : "")
  }

  /// Of a subject's end, `done` or `fail CODE`; there can be only one.
  package static func end(_ end: String) -> String { "Flow-End: \(end)\r\n" + after(0) }

  /// Of what is stored only if the last message of its subject is the one at `sequence`; 0 is none.
  package static func after(_ sequence: UInt64) -> String {
    "Nats-Expected-Last-Subject-Sequence: \(sequence)\r\n"
  }
}
