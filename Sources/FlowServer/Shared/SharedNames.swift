internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// What the names of subjects in NATS stand for: a stream of its own, which all servers read.
///
/// The newest message of a name is its definition, as a line of the protocol, or says that it was
/// deleted. Each is put there by comparison with what was there before, so that of several servers
/// that define one name at once one wins.
final class SharedNames {
  /// What a name stands for.
  struct Entry: Equatable {
    /// Its place in the stream, which only grows.
    let sequence: UInt64
    /// The line that defines it; `nil` if it was deleted.
    let line: String?
  }

  private enum State { case closed, opening, open }

  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubjects
  private var state = State.closed
  private var entries: [String: Entry] = [:]
  /// The names that were known when the stream was opened and were not read since.
  private var missing: [String: Entry] = [:]
  /// Whether NATS had no room for the last definition.
  private var isFull = false
  private var generation: UInt64 = 0
  /// Counts consumers, so that what comes late is known as such.
  private var attempt = 0
  private var outstanding = 0
  private var lastHeard: Int64 = 0
  private var isWatching = false
  private var backoff = Backoff(50_000_000, 1_000_000_000)
  /// Whether all that was there has been read.
  private(set) var isRead = false
  /// What goes on when that is so.
  private var whenRead: [() -> Void] = []
  /// What goes on when something is heard of a name.
  private var whenHeard: [String: [() -> Void]] = [:]

  init(_ shared: SharedSubjects) { self.shared = shared }

  private var link: NATSLink { shared.link }
  private var names: JetStream { shared.names }

  subscript(name: String) -> Entry? { entries[name] }

  // MARK: Reading

  func linkIsUp() {
    backoff.reset()
    open()
  }

  func linkIsAway() {
    attempt += 1
    state = .closed
    isRead = false
    whenRead.removeAll()
    whenHeard.removeAll()
  }

  /// Reads anew, since something may be missing.
  private func reopen() {
    attempt += 1
    let attempt = attempt
    state = .closed
    deleteConsumer()
    shared.after(backoff.next()) { [weak self] in
      if let self, self.attempt == attempt { open() }
    }
  }

  private func open() {
    guard case .closed = state, link.isUp else { return }
    state = .opening
    attempt += 1
    let attempt = attempt
    shared.makeStream(names.createNames) { [weak self] reply in
      guard let self, self.attempt == attempt else { return }
      made(reply)
    }
  }

  /// The stream is there, or is like somebody else has made it.
  private func made(_ reply: NATSReply) {
    do throws(JetStreamError) {
      let stream = try StreamAnswer(reply)
      shared.namesAreMade(nil)
      makeConsumer(stream)
    } catch {
      guard error.number == .nameInUse else {
        shared.namesAreMade(error)
        return reopen()
      }
      shared.namesAreMade(nil)
      let attempt = attempt
      link.request(names.info(JetStream.names), within: JetStream.patience) { [weak self] reply in
        guard let self, self.attempt == attempt else { return }
        guard let stream = try? StreamAnswer(reply) else { return reopen() }
        makeConsumer(stream)
      }
    }
  }

  private func makeConsumer(_ stream: StreamAnswer) {
    if let newest = entries.values.map(\.sequence).max(), stream.last < newest {
      // The stream was lost, and counts anew.
      entries.removeAll()
      shared.namesAreLost()
    }
    missing = entries
    generation = shared.nextGeneration()
    link.attach(self, generation)
    let attempt = attempt
    let request = names.createNamesReader(link.consumerName(generation))
    link.request(request, within: 3 * JetStream.patience) { [weak self] reply in
      guard let self, self.attempt == attempt else { return }
      guard JetStreamError(reply) == nil else { return reopen() }
      state = .open
      lastHeard = shared.now
      outstanding = 0
      backoff.reset()
      pull()
      watch()
      if reply.json["num_pending"]?.number == 0 { hasRead() }
    }
  }

  /// How many are asked for at a time.
  private static let window = 256

  private func pull() {
    guard case .open = state, outstanding * 2 <= Self.window else { return }
    let wanted = Self.window - outstanding
    outstanding += wanted
    let consumer = link.consumerName(generation)
    link.pull(names.pull(wanted, by: consumer, of: JetStream.names), generation)
  }

  /// Looks each second whether the stream still shows signs of life.
  private func watch() {
    guard !isWatching else { return }
    isWatching = true
    shared.after(Self.second) { [weak self] in
      guard let self else { return }
      isWatching = false
      guard case .open = state else { return }
      if shared.now - lastHeard >= Self.patience { reopen() } else { watch() }
    }
  }

  private static let second: Int64 = 1_000_000_000
  /// How long the stream may be silent, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  private func hasRead() {
    if let (name, entry) = missing.popFirst() { return find(name, entry) }
    guard !isRead else { return }
    isRead = true
    let waiting = whenRead
    whenRead.removeAll()
    for goOn in waiting { goOn() }
    shared.namesAreRead()
  }

  /// Looks whether NATS still has the definition of `name`: it has not come, so it was removed or is about to come.
  private func find(_ name: String, _ entry: Entry) {
    let attempt = attempt
    link.request(names.findDefinition(name), within: JetStream.patience) { [weak self] reply in
      guard let self, self.attempt == attempt else { return }
      if let error = JetStreamError(reply) {
        guard error.number == .messageNotFound else { return reopen() }
        if entries[name] == entry { forget(name) }
      }
      hasRead()
    }
  }

  /// The definition of `name` was removed, and NATS has nothing in its place.
  private func forget(_ name: String) {
    let old = entries.removeValue(forKey: name)
    let waiting = whenHeard.removeValue(forKey: name) ?? []
    if let old, old.line != nil {
      shared.heard(name, Entry(sequence: old.sequence + 1, line: nil))
    }
    for goOn in waiting { goOn() }
  }

  /// Another server has removed a definition.
  func readAgain() {
    if case .closed = state { return }
    reopen()
  }

  private func heard(_ name: String, _ entry: Entry) {
    guard entry.sequence > entries[name]?.sequence ?? 0 else { return }
    entries[name] = entry
    let waiting = whenHeard.removeValue(forKey: name) ?? []
    shared.heard(name, entry)
    for goOn in waiting { goOn() }
  }

  /// Has the consumer deleted; nobody waits for the answer.
  private func deleteConsumer() {
    guard generation > 0 else { return }
    link.detach(generation)
    link.request(names.delete(consumer: link.consumerName(generation), of: JetStream.names)) { _ in
    }
    generation = 0
  }

  /// Reads no more, as the server stops.
  func stop() {
    attempt += 1
    state = .closed
    deleteConsumer()
  }

  // MARK: Writing

  /// Has `name` stand for what `line` says, unless it stands for something, as long as that `isWanted`.
  ///
  /// `done` is told what it stands for then, or why that is not known; it is called later or never if the link is
  /// lost.
  func define(
    _ name: String,
    _ line: String,
    while isWanted: @escaping () -> Bool,
    _ done: @escaping (Result<Entry, DefinitionError>) -> Void
  ) {
    guard isWanted() else { return }
    guard isRead else {
      return whenRead { [weak self] in self?.define(name, line, while: isWanted, done) }
    }
    let old = entries[name]
    if let old, old.line != nil { return done(.success(old)) }
    put(name, line, after: old?.sequence ?? 0) { [weak self] answer in
      guard let self else { return }
      noteRoom(answer)
      switch answer {
      case .stored(let sequence):
        let entry = Entry(sequence: sequence, line: line)
        heard(name, entry)
        done(.success(entries[name] ?? entry))
      case .preceded:
        whenHeard(name, after: old) { [weak self] in
          self?.define(name, line, while: isWanted, done)
        }
      case .noStorage(let error): done(.failure(Self.noRoom(for: name, error)))
      case .full, .repeated, .unknown:
        done(.failure(DefinitionError(.away, "\(shared.silence); \(name) may not be defined")))
      }
    }
  }

  /// Says in the log when NATS has no room for definitions.
  private func noteRoom(_ answer: PublishAnswer) {
    guard case .noStorage(let error) = answer else { return isFull = false }
    if !isFull {
      let text = "NATS has no room to store definitions: \(error)"
      shared.engine.log(.warning, "nats-says", text)
    }
    isFull = true
  }

  private static func noRoom(for name: String, _ error: JetStreamError) -> DefinitionError {
    DefinitionError(
      .limit,
      "NATS has no room to store the definition of \(name) (\(error)); read or DELETE subjects that"
        + " fill it, or raise its max_file_store"
    )
  }

  /// Calls `goOn` when all that was there has been read; never if the link is lost before.
  func whenRead(_ goOn: @escaping () -> Void) {
    if isRead { goOn() } else { whenRead.append(goOn) }
  }

  /// Goes on when more is heard of `name` than `old`, since NATS says that there is.
  private func whenHeard(_ name: String, after old: Entry?, _ goOn: @escaping () -> Void) {
    guard entries[name] == old else { return goOn() }
    whenHeard[name, default: []].append(goOn)
    shared.after(2 * Self.second) { [weak self] in
      if let self, case .open = state, whenHeard[name] != nil { reopen() }
    }
  }

  /// Says that `name`, as it was defined at `sequence`, was deleted, also if it stands at another place
  /// by now and `isSame`; `done` is told whether that is known.
  func delete(
    _ name: String,
    at sequence: UInt64,
    isSame: @escaping (Entry) -> Bool,
    _ done: @escaping (Bool) -> Void
  ) {
    let old = entries[name]
    put(name, JetStream.deleted, after: sequence) { [weak self] answer in
      guard let self else { return }
      switch answer {
      case .stored(let sequence):
        heard(name, Entry(sequence: sequence, line: nil))
        done(true)
      case .preceded:
        whenHeard(name, after: old?.sequence == sequence ? old : nil) { [weak self] in
          guard let self else { return }
          // Somebody else has deleted it, and may have defined another one.
          guard let now = entries[name], now.line != nil, isSame(now) else { return done(true) }
          delete(name, at: now.sequence, isSame: isSame, done)
        }
      case .noStorage: remove(name, at: sequence, done)
      case .full, .repeated, .unknown: done(false)
      }
    }
  }

  /// Removes the definition of `name` at `sequence`, since NATS has no room to store that it was deleted; `done` is
  /// told whether it is removed.
  ///
  /// Nothing comes through the stream then, so other servers are told to read it again.
  private func remove(
    _ name: String,
    at sequence: UInt64,
    _ done: @escaping (Bool) -> Void
  ) {
    // NATS has lost the definition already.
    guard sequence > 0 else { return done(true) }
    link.request(names.deleteMessage(at: sequence, of: JetStream.names)) { [weak self] reply in
      guard let self else { return }
      guard JetStreamError(reply) == nil else {
        // Somebody else has removed it or defined it anew.
        readAgain()
        return done(false)
      }
      forget(name)
      link.publish { $0.publish(names.removals) }
      done(true)
    }
  }

  /// Has `text` stand where `name` was defined at `sequence`; `done` is told whether it does.
  func replace(
    _ name: String,
    at sequence: UInt64,
    _ text: String,
    _ done: @escaping (Bool) -> Void
  ) {
    put(name, text, after: sequence) { [weak self] answer in
      guard case .stored(let sequence) = answer else { return done(false) }
      self?.heard(name, Entry(sequence: sequence, line: text))
      done(true)
    }
  }

  private func put(
    _ name: String,
    _ text: String,
    after sequence: UInt64,
    _ done: @escaping (PublishAnswer) -> Void
  ) {
    guard link.isUp else { return shared.after(1) { done(.unknown(.noAnswer)) } }
    let reply = link.expect { done(PublishAnswer($0)) }
    link.publish {
      $0.publish(
        names.definition(name),
        reply: reply,
        headers: PublishHeaders.after(sequence),
        Array(text.utf8)
      )
    }
  }
}

extension SharedNames: NATSConsumer {
  func received(_ value: NATSValue) {
    guard case .open = state else { return }
    lastHeard = shared.now
    outstanding = max(0, outstanding - 1)
    let text = unsafe String(decoding: value.payload, as: UTF8.self)
    if let name = unsafe names.name(definedAt: String(decoding: value.subject, as: UTF8.self)) {
      missing[name] = nil
      let line = text == JetStream.deleted ? nil : text
      heard(name, Entry(sequence: value.sequence, line: line))
    }
    if value.pending == 0 { hasRead() }
    pull()
  }

  func received(_ status: NATSHeaders.Status, pending: Int) {
    guard case .open = state else { return }
    lastHeard = shared.now
    switch status.code {
    case 100: break
    case 408:
      outstanding = max(0, outstanding - pending)
      pull()
    default: reopen()
    }
  }
}

extension SubjectSettings {
  /// What `line` says of the subject called `name`, if it defines one that lives in NATS.
  init?(definition line: String, of name: String) {
    guard case .subject(name, let settings)? = (try? TaggedCommand(line))?.command,
      settings.nats != nil
    else { return nil }
    self = settings
  }
}
