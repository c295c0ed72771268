/// A value on its way to NATS.
struct OutboxValue {
  let bytes: [UInt8]
  /// The id by which NATS knows a repetition of the value, if it has one of its own.
  let id: String?
}

/// Values that are published together.
struct OutboxBatch {
  private(set) var values: [OutboxValue]
  /// The number in the id by which NATS knows a repetition, once the batch was published.
  private var message: UInt64?
  /// How often NATS had no disk or memory for the batch.
  private var refusals = 0
  /// When the batch was taken from the queue.
  let since: Int64
  /// The part of the stream that holds none of the values: stored before the batch, or searched.
  var searched: StoredSearch.Searched
  /// The last value that was known to be stored before the batch.
  let newest: UInt64
  /// When the first of the tries was made whose outcome is unknown.
  var uncertainSince: Int64?
  /// Whether each try so far had an answer that says what is stored.
  var triesAreCertain = true
  /// Whether a try was not answered, so that all values may be stored.
  var mayBeStored = false
  /// Whether NATS may take the batch for a repetition although none of it is stored.
  var isMistakable = false
  /// The ids that the batch had, one for each try.
  private(set) var names: Set<String> = []

  init(_ values: [OutboxValue], since: Int64, behind newest: UInt64) {
    self.newest = newest
    self.values = values
    self.since = since
    searched = StoredSearch.Searched(place: newest)
  }

  /// The end of the values' own ids, which differs after each refusal.
  var mark: String { refusals > 0 ? "+\(refusals)" : "" }

  /// Returns the ids for the next try of `values`.
  ///
  /// NATS knows a repetition by the first value's id. The batch's id is new for each try; a single value has none.
  mutating func nextNames(
    for values: [OutboxValue],
    epoch: String,
    lastMessage: inout UInt64
  ) -> (first: String, batch: String) {
    let number = message ?? lastMessage + 1
    message = number
    lastMessage = max(lastMessage, number)
    let first = values[0].id.map { $0 + mark } ?? "\(epoch).\(number)"
    var batch = first
    if values.count > 1 {
      lastMessage += 1
      batch = "\(epoch).\(lastMessage)"
    }
    names.insert(batch)
    return (first, batch)
  }

  /// Splits the values before index `end`; the last one before it is stored at place `last`.
  func split(before end: Int, at last: UInt64) -> (first: Self, rest: Self) {
    var (first, rest) = (self, self)
    first.values = Array(values[..<end])
    rest.values = Array(values[end...])
    rest.searched.place = last
    return (first, rest)
  }

  /// Returns a batch of the same values, none of which is stored, with new ids: NATS remembers the ids of a
  /// batch that it had no disk for (2.15.1), and would answer that the batch is stored.
  func renamed() -> Self {
    var new = Self(values, since: since, behind: newest)
    new.searched = searched
    new.refusals = refusals + 1
    return new
  }
}
