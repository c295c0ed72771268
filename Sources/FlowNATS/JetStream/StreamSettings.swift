/// How JetStream stores a subject's values.
package struct StreamSettings: Equatable, Sendable {
  package enum Storage: String, Sendable, CaseIterable {
    case file, memory
  }

  package var replicas: Int
  package var storage: Storage
  package var mostMessages: Int
  /// Whether a full stream refuses new values rather than dropping the oldest.
  package var refusesWhenFull: Bool
  /// Whether the stream accepts no more values, only the end.
  package var takesNoValues = false
  /// How the subject ended, if NATS had no room to store the end message.
  package var end: String?

  /// How many messages of the stream are not values: 1 for the end.
  package var endMessages: UInt64 { takesNoValues && end == nil ? 1 : 0 }

  package init(replicas: Int, storage: Storage, mostMessages: Int, refusesWhenFull: Bool) {
    self.replicas = replicas
    self.storage = storage
    self.mostMessages = mostMessages
    self.refusesWhenFull = refusesWhenFull
  }
}

/// How JetStream delivers a subject's values.
package struct ConsumerSettings: Equatable, Sendable {
  package var start: UInt64
  /// Whether values are acknowledged; publishers wait until then.
  package var acknowledges: Bool
  /// How long the consumer lives without a pull, in nanoseconds; `nil` is for ever.
  package var threshold: Int64?
  /// How long a value may stay unacknowledged before NATS resends it, in nanoseconds.
  ///
  /// A consumer with a threshold lives up to twice this time longer (NATS 2.15.1).
  var patience: Int64 { threshold == nil ? 3_600_000_000_000 : 2_000_000_000 }

  /// The owner, as its metadata reports it.
  package var server: String
  /// Whether its reader is given the subject's initial value.
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
