/// What came of a request; valid during a call only.
@safe  // memory 8
package struct NATSReply {
  /// The server's own word, `nil` if this is a message.
  package let status: NATSHeaders.Status?
  package let payload: UnsafeRawBufferPointer
  /// Whether there is no answer, and none will come.
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

  /// There was no answer in time, or the connection is gone.
  package static var missing: NATSReply { NATSReply() }

  package var json: FieldSearch { unsafe FieldSearch(payload) }
}

/// Why JetStream has not done what it was asked for.
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
    /// More than one replica was asked for, of a NATS that is no cluster.
    case notClustered = 10074
    case mostMessages = 10077
    case batchUnknown = 10176
    case batchRepeated = 10201
    case tooManyBatches = 10210
  }

  /// `err_code`; 0 if nobody answered.
  package let code: UInt64
  package let text: String

  package var number: Number? { Number(rawValue: code) }

  /// Whether JetStream is turned off here or for this account, or no server answers its requests.
  package var isWithoutJetStream: Bool {
    switch number {
    case .notEnabled, .notEnabledForAccount: true
    default: isUnheard
    }
  }

  /// Whether NATS answered that nobody received the request: status 503, or another one.
  package var isUnheard: Bool { code == 0 && self != .noAnswer }

  package var description: String { text }

  package static let noAnswer = JetStreamError(code: 0, text: "no answer")

  package init(code: UInt64, text: String) {
    self.code = code
    self.text = text
  }

  /// The error that `reply` is, if it is one.
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

/// What came of publishing a value, or a batch of them.
package enum PublishAnswer: Equatable, Sendable {
  /// All are stored; the last of them is at this place.
  case stored(last: UInt64)
  /// They had been stored before: all of them, or the first of a batch for which there was no disk or memory.
  case repeated
  /// Nothing is stored, since there is no room.
  case full
  /// NATS has no disk or memory left for it: nothing is stored, or the first of a batch.
  case noStorage(JetStreamError)
  /// Another message was stored there first: the last is at this place, if NATS has said so.
  case preceded(last: UInt64?)
  /// Nothing is known, or nothing stored: worth another try.
  case unknown(JetStreamError)

  /// Whether NATS answered that nobody received the message.
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

/// What a stream is like.
package struct StreamAnswer: Equatable, Sendable {
  package var settings: StreamSettings
  /// The sequence of the first value that is there, or would be.
  package var first: UInt64
  /// That of the last value there ever was, 0 before the first.
  package var last: UInt64
  package var consumers: Int
  /// Whether the stream was made by the request that is answered.
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
    // An empty stream says 0, or what comes after the last.
    first = max(1, state["first_seq"]?.place ?? 1)
    if state["messages"]?.number == 0 { first = last + 1 }
    consumers = state["consumer_count"]?.count ?? 0
    isNew = json["did_create"]?.isTrue ?? false
  }
}

/// A page of the consumers of a stream.
package struct ConsumerPage: Equatable, Sendable {
  package struct Row: Equatable, Sendable {
    package var name: String
    /// The sequence up to which it needs nothing any more.
    package var floor: UInt64
    /// How many values it has not acknowledged, or not been sent.
    package var behind: Int
    /// Who has it, or had it last, if that is said.
    package var server: String?
    /// Whether its reader was given the value that a subject has before any was sent.
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

    /// The process that has it, or had it, for all subscriptions of a server.
    package var epochOfSubscriptions: String? {
      let parts = name.split(separator: "-", omittingEmptySubsequences: false)
      return parts.count == 3 && parts[0] == "s" ? String(parts[1]) : nil
    }

    /// Whether its name is `prefix` with an epoch and a generation behind it.
    package func isOne(of prefix: String) -> Bool {
      guard name.hasPrefix(prefix) else { return false }
      let rest = name.dropFirst(prefix.count)
      return rest.split(separator: "-", omittingEmptySubsequences: false).count == 2
    }
  }

  package var rows: [Row]
  /// How many consumers there are on all pages.
  package var total: Int
  /// Whether none is left out that could not be asked.
  package var isWhole: Bool

  package init(_ reply: NATSReply) throws(JetStreamError) {
    if let error = JetStreamError(reply) { throw error }
    let json = reply.json
    guard let total = json["total"]?.count else { throw .noAnswer }
    self.total = total
    rows = (json["consumers"]?.elements ?? []).map { row in
      // With replicas the floor of a new consumer is 0 until it has acknowledged something.
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
