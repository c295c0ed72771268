struct OutboxValue {
  let bytes: [UInt8]
  /// The id for NATS's deduplication, if the value has its own.
  let id: String?
}

struct OutboxBatch {
  private(set) var values: [OutboxValue]
  /// The number in its deduplication id, once published.
  private var message: UInt64?
  /// How often NATS lacked disk or memory for it.
  private var refusals = 0
  let since: Int64
  /// The part of the stream that surely has none of its values.
  var searched: StoredSearch.Searched
  /// The last sequence known to be stored before the batch.
  let newest: UInt64
  /// When the first attempt with an unknown outcome was made.
  var uncertainSince: Int64?
  /// Whether each attempt so far got an answer that says what is stored.
  var triesAreCertain = true
  /// Whether an attempt was not answered, so that all values may be stored.
  var mayBeStored = false
  /// Whether NATS may take the batch for a repetition although nothing is stored.
  var isMistakable = false
  /// The ids of the batch, one for each attempt.
  private(set) var names: Set<String> = []

  init(_ values: [OutboxValue], since: Int64, behind newest: UInt64) {
    self.newest = newest
    self.values = values
    self.since = since
    searched = StoredSearch.Searched(place: newest)
  }

  /// The suffix of the values' own ids, which changes after each refusal.
  var mark: String { refusals > 0 ? "+\(refusals)" : "" }

  /// Returns the ids for the next attempt.
  ///
  /// NATS finds repetitions by the first value's id. The batch's id is new for each attempt; a
  /// single value has none.
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

  /// Splits before index `end`; the last value before it is stored at `last`.
  func split(before end: Int, at last: UInt64) -> (first: Self, rest: Self) {
    var (first, rest) = (self, self)
    first.values = Array(values[..<end])
    rest.values = Array(values[end...])
    rest.searched.place = last
    return (first, rest)
  }

  /// Returns the batch with new ids, none of its values being stored.
  ///
  /// NATS 2.15.1 remembers the ids of a batch that it had no disk for, and would answer that it is
  /// stored.
  func renamed() -> Self {
    var new = Self(values, since: since, behind: newest)
    new.searched = searched
    new.refusals = refusals + 1
    return new
  }
}
