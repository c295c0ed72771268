extension JetStreamModel {
  /// A message of a stream.
  package struct Message: Equatable {
    package var sequence: UInt64
    package var subject: String
    /// The header lines, each with its line end.
    package var headers: String
    package var payload: [UInt8]
    /// When it was stored, in nanoseconds.
    package var time: Int64 = 0
    package var text: String { String(decoding: payload, as: UTF8.self) }
  }

  /// A request for messages that was not served in full.
  package struct Pull {
    /// Where the messages go.
    package let reply: String
    package var count: Int
    /// When it ends, in nanoseconds; nil is never.
    var end: Int64?
    /// How long, in nanoseconds, nothing may be said on it; nil is for ever.
    var silence: Int64?
    /// When something was last said on it, in nanoseconds.
    var heard: Int64 = 0
  }

  package final class Consumer {
    package let name: String
    /// The sequence that it was told to begin at.
    package let start: UInt64
    package let acknowledges: Bool
    /// The server in its metadata.
    package let server: String
    /// The one subject whose messages it wants, if it does not want all.
    package let filter: String?
    package var next: UInt64
    package var floor: UInt64
    package var delivered = 0
    /// Whether its metadata has `flow-initial`.
    package var isInitial = false
    /// The pulls that are not served, the oldest first.
    package var pulls: [Pull] = []
    /// The number of all messages that were ever asked for.
    package var asked = 0
    /// The number of those that were given, or were said not to come.
    package var given = 0
    /// Whether it is gone when NATS starts again.
    var isInMemory = false
    /// How long, in nanoseconds, it stays without a pull; nil is for ever.
    var threshold: Int64?
    /// When it last had a pull, in nanoseconds.
    var active: Int64 = 0

    package init(
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

    func wants(_ message: Message) -> Bool {
      message.sequence >= next && (filter ?? message.subject) == message.subject
    }
  }

  package final class Stream {
    package var name = ""
    package var subjects: [String] = []
    package var most = 0
    package var refuses = true
    package var replicas = 1
    package var isInMemory = false
    /// The end in its metadata, as it stands in a string of JSON.
    package var end: String?
    /// Whether it keeps the newest message of each subject only.
    package var keepsNewest = false
    /// Whether a message is removed when it is acknowledged.
    var isQueue = false
    /// How long it keeps a message, in nanoseconds.
    package var longest: Int64?
    package var messages: [Message] = []
    package var last: UInt64 = 0
    /// The ids that it knows repetitions by, with the place of the message.
    package var ids: [String: UInt64] = [:]
    package var consumers: [String: Consumer] = [:]
    /// The batches that are being published, by their ids.
    var batches: [String: [NewMessage]] = [:]
    package var first: UInt64 { messages.first?.sequence ?? last + 1 }

    package init() {}

    func takes(_ subject: String) -> Bool {
      subjects.contains { $0.hasSuffix(">") ? subject.hasPrefix($0.dropLast()) : $0 == subject }
    }

    /// Loses the messages behind `place`, as in a loss of power.
    package func loseEnd(behind place: UInt64) {
      messages.removeAll { $0.sequence > place }
      last = min(last, place)
      ids = ids.filter { $0.value <= place }
    }

    /// The consumers by their names.
    var sortedConsumers: [Consumer] { consumers.values.sorted { $0.name < $1.name } }
  }

  /// A message that has no place in a stream yet.
  package struct NewMessage {
    package let subject: String
    package let headers: String
    package let payload: [UInt8]

    package init(_ subject: String, _ headers: String, _ payload: [UInt8]) {
      (self.subject, self.headers, self.payload) = (subject, headers, payload)
    }

    /// What a repetition is known by.
    package var id: String? { self["Nats-Msg-Id"] }

    /// The value of the header called `name`.
    package subscript(name: String) -> String? {
      headers.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }
        .map { String($0.dropFirst(name.count + 2)) }
    }
  }
}
