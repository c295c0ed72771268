extension Outbox {
  /// A value, and what a repetition of it is known by, if that is not left to its batch.
  struct Queued {
    let bytes: [UInt8]
    let id: String?
  }

  /// What is under way.
  struct Batch {
    private(set) var values: [Queued]
    /// What a repetition of it is known by.
    private(set) var message: UInt64
    /// How often NATS had no disk or memory for it.
    private var refusals = 0
    /// When it was first sent.
    let since: Int64
    /// The part of the stream that holds none of its values: what was stored before it, and what was searched.
    var searched: StoredSearch.Searched
    /// The last value that was known to be stored before it.
    let newest: UInt64
    /// When it was first sent, of all times since when nothing is known of it.
    var uncertainSince: Int64?
    /// Whether each try so far was answered with what is known of it.
    var triesAreCertain = true
    /// Whether a try was not answered, so that all of it may be stored.
    var mayBeStored = false
    /// Whether NATS may take it for a repetition, though nothing of it is stored.
    var isMistakable = false
    /// What it was called, each time that it was sent.
    var names: Set<String> = []

    init(_ values: [Queued], message: UInt64, since: Int64, behind newest: UInt64) {
      self.newest = newest
      self.values = values
      self.message = message
      self.since = since
      searched = StoredSearch.Searched(place: newest)
    }

    /// What is behind the ids of its values.
    var mark: String { refusals > 0 ? "+\(refusals)" : "" }

    /// Its first values, the last of which is at place `last`, and the others.
    func split(before end: Int, at last: UInt64) -> (first: Self, rest: Self) {
      var (first, rest) = (self, self)
      first.values = Array(values[..<end])
      rest.values = Array(values[end...])
      rest.searched.place = last
      return (first, rest)
    }

    /// One of which nothing is stored, by another name: NATS remembers those of one that it had no disk for
    /// (2.15.1), and would say that it is there.
    func renamed(_ message: UInt64) -> Self {
      var new = Self(values, message: message, since: since, behind: newest)
      new.searched = searched
      new.refusals = refusals + 1
      return new
    }
  }
}
