internal import FlowNATS

/// What a server knows of the names in NATS.
///
/// Transitions have no side effects; they return the steps that `SharedNames` performs in order.
/// Answers to earlier attempts are filtered out before.
struct SharedNamesState {
  struct Entry: Equatable {
    /// The sequence in the stream, which only grows.
    let sequence: UInt64
    /// The definition; `nil` if it was deleted.
    let line: String?
  }

  enum Phase {
    case closed
    /// The stream or its consumer is being made.
    case opening
    case open
  }

  enum Step: Equatable {
    case makeStream
    case findReplacements
    case makeConsumer
    case deleteConsumer
    case openLater(nanoseconds: Int64)
    case pull(Int)
    /// Calls `checkSilence` each second while the stream is open.
    case watch
    /// Reports news of a name; without an entry only waiting closures continue.
    case report(String, Entry?)
    /// Requests a definition that was not read again; calls `found`.
    case find(String, Entry)
    /// Deletes the replacement of a definition that is gone.
    case deleteReplacement(of: UInt64)
    case reportRead
    case reportLost
  }

  private(set) var phase = Phase.closed
  private(set) var retry = Retry()
  private(set) var entries: [String: Entry] = [:]
  /// Names known before the stream was opened again, and not read since.
  private var missing: [String: Entry] = [:]
  /// Replacements by the sequences of their definitions.
  private var replacements: [UInt64: String] = [:]
  /// Whether all existing definitions have been read.
  private(set) var isRead = false
  private var outstanding = 0
  private var lastHeard: Int64 = 0

  private static let window = 256
  /// How long the stream may be silent, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

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

  /// Reads again, because something may be missing.
  mutating func reopen() -> [Step] {
    close()
    return [.deleteConsumer, .openLater(nanoseconds: retry.pause())]
  }

  /// Handles the stream's state; its last definition is at `last`.
  mutating func streamIsThere(last: UInt64) -> [Step] {
    var steps = [Step.findReplacements]
    if let newest = entries.values.map(\.sequence).max(), last < newest {
      // The stream was lost, and its sequences start again.
      entries.removeAll()
      steps = [.reportLost, .findReplacements]
    }
    missing = entries
    return steps
  }

  /// Takes the replacements; nil keeps the known ones, because NATS did not list them.
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

  /// Handles a message, which defines `name` if that is given, with `pending` more behind it.
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

  /// Handles the answer for a definition that was not read again.
  ///
  /// If NATS does not have it, it was removed, unless a newer one has come meanwhile.
  mutating func found(_ name: String, _ entry: Entry, error: JetStreamError?) -> [Step] {
    guard let error else { return hasRead() }
    guard error.number == .messageNotFound else { return reopen() }
    let steps = entries[name] == entry ? forget(name) : []
    return steps + hasRead()
  }

  /// Forgets a removed definition without a replacement.
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

  mutating func replace(_ name: String, at sequence: UInt64, by text: String) -> [Step] {
    replacements[sequence] = text
    return heard(name, Entry(sequence: sequence, line: text))
  }
}
