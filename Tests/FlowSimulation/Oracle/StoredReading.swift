/// A stream of a subject in NATS, from its SUB on.
final class StoredReading {
  let subject: String
  let incarnation: Int
  let durable: String?
  let server: StoredSubjects.Server
  /// How many values had been said when it was open.
  var openedAfter: Int?
  var seen: Set<String> = []
  /// Values that have come and are not acknowledged, of a durable subscription.
  var given: [String] = []
  /// How many values were told as gaps.
  var gaps = 0
  /// When it ended, or its connection.
  var end: UInt64?

  init(
    _ subject: String,
    _ incarnation: Int,
    _ durable: String?,
    _ server: StoredSubjects.Server
  ) {
    self.subject = subject
    self.incarnation = incarnation
    self.durable = durable
    self.server = server
  }
}
