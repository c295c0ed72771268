/// How JetStream keeps a subject's values.
package struct StreamSettings: Equatable, Sendable {
  package enum Storage: String, Sendable, CaseIterable {
    case file, memory
  }

  package var replicas: Int
  package var storage: Storage
  package var mostMessages: Int
  /// Whether it refuses new values when it is full, or drops the oldest.
  package var refusesWhenFull: Bool
  /// Whether it takes no values any more, only the end.
  package var takesNoValues = false
  /// How the subject has ended, if NATS had no room to store the message that says so.
  package var end: String?

  /// The number of messages in the stream that are no values: 1 for the end.
  package var endMessages: UInt64 { takesNoValues && end == nil ? 1 : 0 }

  package init(replicas: Int, storage: Storage, mostMessages: Int, refusesWhenFull: Bool) {
    self.replicas = replicas
    self.storage = storage
    self.mostMessages = mostMessages
    self.refusesWhenFull = refusesWhenFull
  }
}

/// How JetStream hands on a subject's values.
package struct ConsumerSettings: Equatable, Sendable {
  /// The sequence of the first value.
  package var start: UInt64
  /// Whether values are acknowledged, which holds up publishers until then.
  package var acknowledges: Bool
  /// How long, in nanoseconds, it stays without a pull; `nil` is for ever.
  package var threshold: Int64?
  /// How long, in nanoseconds, a value may go unacknowledged before NATS would send it again, which is
  /// left out here.
  ///
  /// A consumer stays for twice as long after its threshold if one does (NATS 2.15.1).
  var patience: Int64 { threshold == nil ? 3_600_000_000_000 : 2_000_000_000 }

  /// Who has it, as others are told.
  package var server: String
  /// Whether its reader is given the value that a subject has before any was sent.
  package var isInitial: Bool

  package init(
    start: UInt64,
    acknowledges: Bool,
    threshold: Int64?,
    server: String,
    isInitial: Bool = false
  ) {
    self.isInitial = isInitial
    self.start = start
    self.acknowledges = acknowledges
    self.threshold = threshold
    self.server = server
  }
}
