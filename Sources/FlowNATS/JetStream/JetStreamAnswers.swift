/// The reply to a request; valid during a call only.
@safe  // memory 8
package struct NATSReply {
  /// The status of a reply that is not a message.
  package let status: NATSHeaders.Status?
  package let payload: UnsafeRawBufferPointer
  /// Whether no answer came, and none will.
  package let isMissing: Bool

  package init(_ payload: UnsafeRawBufferPointer, status: NATSHeaders.Status? = nil) {
    unsafe self.payload = unsafe payload
    self.status = status
    isMissing = false
  }

  private init() {
    unsafe payload = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    status = nil
    isMissing = true
  }

  /// The reply after a timeout or a lost connection.
  package static var missing: NATSReply { NATSReply() }

  package var json: FieldSearch { unsafe FieldSearch(payload) }
}

/// Why JetStream refused a request.
package struct JetStreamError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Number: UInt64, Sendable {
    case notAvailable = 10008
    case notEnabledForAccount = 10039
    case notEnabled = 10076
    case consumerNotFound = 10014
    case insufficientResources = 10023
    case memoryExceeded = 10028
    case messageNotFound = 10037
    case storageExceeded = 10047
    case nameInUse = 10058
    case streamNotFound = 10059
    case wrongLastSequence = 10071
    /// More than one replica was requested from a NATS that is no cluster.
    case notClustered = 10074
    case mostMessages = 10077
    case batchUnknown = 10176
    case batchRepeated = 10201
    case tooManyBatches = 10210
  }

  /// The `err_code` of NATS; 0 for a status or no answer.
  package let code: UInt64
  package let text: String

  package var number: Number? { Number(rawValue: code) }

  /// Whether JetStream is disabled here or for this account, or no server answers its requests.
  package var isWithoutJetStream: Bool {
    switch number {
    case .notEnabled, .notEnabledForAccount: true
    default: isUnheard
    }
  }

  /// Whether NATS answered with a status, such as 503 for no receiver.
  package var isUnheard: Bool { code == 0 && self != .noAnswer }

  package var description: String { text }

  package static let noAnswer = JetStreamError(code: 0, text: "no answer")

  package init(code: UInt64, text: String) {
    self.code = code
    self.text = text
  }

  /// Returns the error in `reply`; nil if it has none.
  package init?(_ reply: NATSReply) {
    if reply.isMissing {
      self = .noAnswer
    } else if let status = reply.status {
      self.init(code: 0, text: "\(status.code) \(status.text)")
    } else if let error = reply.json["error"] {
      let text = error["description"]?.text ?? "error"
      self.init(code: error["err_code"]?.number ?? 0, text: text)
    } else {
      return nil
    }
  }
}

/// The result of publishing a value or a batch.
package enum PublishAnswer: Equatable, Sendable {
  /// All values are stored; the last one has this sequence.
  case stored(last: UInt64)
  /// The values, or the first ones of a batch that ran out of storage, had been stored before.
  case repeated
  case full
  /// NATS has no disk or memory left; no value is stored, or only the first ones of a batch.
  case noStorage(JetStreamError)
  /// Another message was stored first: the last has this sequence, if NATS reports it.
  case preceded(last: UInt64?)
  /// No value is stored, or the result is unknown: worth another try.
  case unknown(JetStreamError)

  /// Whether NATS answered that the message had no receiver.
  package var isUnheard: Bool {
    if case .unknown(let error) = self { error.isUnheard } else { false }
  }

  package init(_ reply: NATSReply) {
    guard let error = JetStreamError(reply) else {
      let last = reply.json["seq"]?.place
      self = last.map { .stored(last: $0) } ?? .unknown(.noAnswer)
      return
    }
    self =
      switch error.number {
      case .batchRepeated: .repeated
      case .mostMessages: .full
      case .insufficientResources, .memoryExceeded, .storageExceeded: .noStorage(error)
      case .wrongLastSequence:
        .preceded(last: error.text.split(separator: " ").last.flatMap { UInt64($0)?.asPlace })
      default: .unknown(error)
      }
  }
}

package struct StreamAnswer: Equatable, Sendable {
  package var settings: StreamSettings
  /// The sequence of the first value, or of the next one if the stream is empty.
  package var first: UInt64
  /// The sequence of the last value ever stored; 0 before the first.
  package var last: UInt64
  package var consumers: Int
  /// Whether the request created the stream.
  package var isNew = false

  package init(settings: StreamSettings, first: UInt64, last: UInt64, consumers: Int) {
    self.settings = settings
    self.first = first
    self.last = last
    self.consumers = consumers
  }

  package init(_ reply: NATSReply) throws(JetStreamError) {
    if let error = JetStreamError(reply) { throw error }
    let json = reply.json
    guard let config = json["config"], let state = json["state"],
      let last = state["last_seq"]?.place
    else { throw .noAnswer }
    settings = StreamSettings(
      replicas: config["num_replicas"]?.count ?? 1,
      storage: config["storage"]?.text.flatMap(StreamSettings.Storage.init) ?? .file,
      mostMessages: config["max_msgs"]?.count ?? 0,
      refusesWhenFull: config["discard"]?.text == "new"
    )
    settings.takesNoValues = config["subjects"]?.elements.count == 1
    settings.end = config["metadata"]?[JetStream.end]?.text
    self.last = last
    // An empty stream reports 0, or the sequence after the last.
    first = max(1, state["first_seq"]?.place ?? 1)
    if state["messages"]?.number == 0 { first = last + 1 }
    consumers = state["consumer_count"]?.count ?? 0
    isNew = json["did_create"]?.isTrue ?? false
  }
}

package struct ConsumerPage: Equatable, Sendable {
  package struct Row: Equatable, Sendable {
    package var name: String
    /// The last sequence that the consumer no longer needs.
    package var floor: UInt64
    /// How many values it has not acknowledged or not received.
    package var behind: Int
    /// The server that owns it or owned it last, if its metadata has one.
    package var server: String?
    /// Whether its reader was given the subject's initial value.
    package var isInitial: Bool

    package init(
      name: String,
      floor: UInt64,
      behind: Int = 0,
      server: String? = nil,
      isInitial: Bool = false
    ) {
      self.isInitial = isInitial
      self.name = name
      self.floor = floor
      self.behind = behind
      self.server = server
    }

    /// The epoch in the name of a consumer that serves all subscriptions of one server.
    package var epochOfSubscriptions: String? {
      let parts = name.split(separator: "-", omittingEmptySubsequences: false)
      return parts.count == 3 && parts[0] == "s" ? String(parts[1]) : nil
    }

    /// Whether its name is `prefix` followed by an epoch and a generation.
    package func isOne(of prefix: String) -> Bool {
      guard name.hasPrefix(prefix) else { return false }
      let rest = name.dropFirst(prefix.count)
      return rest.split(separator: "-", omittingEmptySubsequences: false).count == 2
    }
  }

  package var rows: [Row]
  /// The number of consumers on all pages.
  package var total: Int
  /// Whether NATS could query every consumer.
  package var isWhole: Bool

  package init(_ reply: NATSReply) throws(JetStreamError) {
    if let error = JetStreamError(reply) { throw error }
    let json = reply.json
    guard let total = json["total"]?.count else { throw .noAnswer }
    self.total = total
    rows = (json["consumers"]?.elements ?? []).map { row in
      // With replicas, a new consumer's floor is 0 until its first acknowledgement.
      let start = row["config"]?["opt_start_seq"]?.place ?? 1
      let acknowledged = row["ack_floor"]?["stream_seq"]?.place ?? 0
      let metadata = row["config"]?["metadata"]
      return Row(
        name: row["name"]?.text ?? "",
        floor: max(acknowledged, start > 0 ? start - 1 : 0),
        behind: (row["num_pending"]?.count ?? 0) + (row["num_ack_pending"]?.count ?? 0),
        server: metadata?[JetStream.server]?.text,
        isInitial: metadata?[JetStream.initial]?.text != nil
      )
    }
    isWhole = (json["missing"]?.isEmpty ?? true) && (json["offline"]?.isEmpty ?? true)
  }
}
