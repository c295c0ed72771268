internal import FlowNATS

/// What a server knows of the names in NATS, and how far it has read them.
///
/// A transition calls nobody; it returns the steps that SharedNames performs, in order. Answers to earlier attempts
/// are not passed to it.
struct SharedNamesState {
  /// What a name stands for.
  struct Entry: Equatable {
    /// Its place in the stream, which only grows.
    let sequence: UInt64
    /// The line that defines it; `nil` if it was deleted.
    let line: String?
  }

  enum Phase {
    case closed
    /// The stream or the consumer is being made.
    case opening
    case open
  }

  enum Step: Equatable {
    case makeStream
    /// Requests the definitions that consumers replace; calls `replaced`.
    case findReplacements
    case makeConsumer
    case deleteConsumer
    /// Calls `open` after `nanoseconds`.
    case openLater(nanoseconds: Int64)
    case pull(Int)
    /// Calls `checkSilence` each second while the stream is open.
    case watch
    /// Something was heard of a name; there is no entry if only those that wait for news go on.
    case report(String, Entry?)
    /// Requests the definition of a name, which was not read again; calls `found`.
    case find(String, Entry)
    /// The definition at this sequence is no longer there to be replaced.
    case deleteReplacement(of: UInt64)
    case reportRead
    /// The stream was lost with all its definitions.
    case reportLost
  }

  private(set) var phase = Phase.closed
  private(set) var retry = Retry()
  private(set) var entries: [String: Entry] = [:]
  /// The names that were known when the stream was opened, and were not read since.
  private var missing: [String: Entry] = [:]
  /// What stands in place of definitions, by their sequences, where NATS had no room to store it.
  private var replacements: [UInt64: String] = [:]
  /// Whether all definitions that were there have been read.
  private(set) var isRead = false
  private var outstanding = 0
  private var lastHeard: Int64 = 0

  /// How many definitions are asked for at a time.
  private static let window = 256
  /// How long the stream may be silent, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  // MARK: Opening

  mutating func linkIsUp() -> [Step] {
    retry.reset()
    return open()
  }

  mutating func linkIsAway() {
    close()
    isRead = false
  }

  mutating func close() {
    retry.begin()
    phase = .closed
  }

  mutating func open() -> [Step] {
    guard case .closed = phase else { return [] }
    retry.begin()
    phase = .opening
    return [.makeStream]
  }

  /// Reads anew, since something may be missing.
  mutating func reopen() -> [Step] {
    close()
    return [.deleteConsumer, .openLater(nanoseconds: retry.pause())]
  }

  /// The stream is there; its last definition is at `last`.
  mutating func streamIsThere(last: UInt64) -> [Step] {
    var steps = [Step.findReplacements]
    if let newest = entries.values.map(\.sequence).max(), last < newest {
      // The stream was lost, and counts anew.
      entries.removeAll()
      steps = [.reportLost, .findReplacements]
    }
    missing = entries
    return steps
  }

  /// There are no replacements if NATS has not listed them; then those that were known stay.
  mutating func replaced(_ replacements: [UInt64: String]?) -> [Step] {
    self.replacements = replacements ?? self.replacements
    return [.makeConsumer]
  }

  mutating func consumerIsMade(isAtEnd: Bool, _ now: Int64) -> [Step] {
    phase = .open
    lastHeard = now
    outstanding = 0
    retry.reset()
    let steps = pull() + [Step.watch]
    return isAtEnd ? steps + hasRead() : steps
  }

  // MARK: Reading

  /// A message has come: the definition of `name` if it has one, and `pending` more behind it.
  mutating func received(
    _ name: String?,
    _ entry: Entry,
    pending: UInt64,
    _ now: Int64
  ) -> [Step] {
    guard case .open = phase else { return [] }
    lastHeard = now
    outstanding = max(0, outstanding - 1)
    var steps: [Step] = []
    if let name {
      missing[name] = nil
      let line = replacements[entry.sequence] ?? entry.line
      steps = heard(name, Entry(sequence: entry.sequence, line: line))
    }
    if pending == 0 { steps += hasRead() }
    return steps + pull()
  }

  mutating func received(status code: Int, pending: Int, _ now: Int64) -> [Step] {
    guard case .open = phase else { return [] }
    lastHeard = now
    switch code {
    case 100: return []
    case 408:
      outstanding = max(0, outstanding - pending)
      return pull()
    default: return reopen()
    }
  }

  mutating func checkSilence(_ now: Int64) -> [Step] {
    guard case .open = phase else { return [] }
    return now - lastHeard >= Self.patience ? reopen() : [.watch]
  }

  private mutating func pull() -> [Step] {
    guard outstanding * 2 <= Self.window else { return [] }
    let wanted = Self.window - outstanding
    outstanding += wanted
    return [.pull(wanted)]
  }

  private mutating func hasRead() -> [Step] {
    if let (name, entry) = missing.popFirst() { return [.find(name, entry)] }
    guard !isRead else { return [] }
    isRead = true
    return [.reportRead]
  }

  /// NATS has the definition of `name` that was not read again, or has not: then it was removed, unless a newer one
  /// has come meanwhile.
  mutating func found(_ name: String, _ entry: Entry, error: JetStreamError?) -> [Step] {
    guard let error else { return hasRead() }
    guard error.number == .messageNotFound else { return reopen() }
    let steps = entries[name] == entry ? forget(name) : []
    return steps + hasRead()
  }

  /// The definition of `name` was removed, and NATS has nothing in its place.
  mutating func forget(_ name: String) -> [Step] {
    guard let old = entries.removeValue(forKey: name), old.line != nil else {
      return [.report(name, nil)]
    }
    let steps = [Step.report(name, Entry(sequence: old.sequence + 1, line: nil))]
    return steps + dropReplacement(of: old)
  }

  private mutating func dropReplacement(of old: Entry) -> [Step] {
    let isReplaced = replacements.removeValue(forKey: old.sequence) != nil
    return isReplaced ? [.deleteReplacement(of: old.sequence)] : []
  }

  mutating func heard(_ name: String, _ entry: Entry) -> [Step] {
    let old = entries[name]
    guard entry != old, entry.sequence >= old?.sequence ?? 0 else { return [] }
    entries[name] = entry
    let steps = [Step.report(name, entry)]
    guard let old, old.sequence < entry.sequence else { return steps }
    return steps + dropReplacement(of: old)
  }

  /// `text` stands in place of the definition of `name` at `sequence`.
  mutating func replace(_ name: String, at sequence: UInt64, by text: String) -> [Step] {
    replacements[sequence] = text
    return heard(name, Entry(sequence: sequence, line: text))
  }
}
