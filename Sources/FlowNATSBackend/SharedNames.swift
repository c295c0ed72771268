internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// The definitions of names in NATS, in a stream that all servers read.
///
/// The newest message of a name is its definition, as a line of the protocol, or its deletion. If
/// NATS had no room for a message, a consumer's metadata replace the definition.
final class SharedNames: Retrying {
  typealias Entry = SharedNamesState.Entry

  // memory 3
  @safe unowned(unsafe) let shared: SharedSubjects
  private var state = SharedNamesState()
  private var generation: UInt64 = 0
  private var isWatching = false
  var isFull = false
  private let whenRead = Waiters<SharedNames>()
  private var whenHeard: [String: Waiters<SharedNames>] = [:]

  init(_ shared: SharedSubjects) { self.shared = shared }

  var link: NATSLink { shared.link }
  var names: JetStream { shared.names }
  var retry: Retry { state.retry }

  /// Whether all existing definitions have been read.
  var isRead: Bool { state.isRead }

  subscript(name: String) -> Entry? { state.entries[name] }

  func linkIsUp() { perform(state.linkIsUp()) }

  func linkIsAway() {
    state.linkIsAway()
    whenRead.removeAll()
    whenHeard.removeAll()
  }

  /// Reads again, because another server has removed or replaced a definition.
  func readAgain() {
    if case .closed = state.phase { return }
    perform(state.reopen())
  }

  func stop() {
    state.close()
    deleteConsumer()
  }

  func heard(_ name: String, _ entry: Entry) { perform(state.heard(name, entry)) }

  func forget(_ name: String) { perform(state.forget(name)) }

  func replace(_ name: String, at sequence: UInt64, by text: String) {
    perform(state.replace(name, at: sequence, by: text))
  }

  /// Calls `next` when all existing definitions have been read; never if the link is lost before.
  func whenRead(_ next: @escaping (SharedNames) -> Void) {
    if isRead { next(self) } else { whenRead.add(next) }
  }

  /// Calls `next` when something newer than `old` is read for `name`.
  func whenHeard(_ name: String, after old: Entry?, _ next: @escaping (SharedNames) -> Void) {
    guard self[name] == old else { return next(self) }
    let waiters = whenHeard[name] ?? Waiters()
    whenHeard[name] = waiters
    waiters.add(next)
    shared.after(2_000_000_000) { [weak self] in
      if let self, case .open = state.phase, whenHeard[name] != nil { perform(state.reopen()) }
    }
  }

  private func perform(_ steps: [SharedNamesState.Step]) { for step in steps { perform(step) } }

  private func perform(_ step: SharedNamesState.Step) {
    switch step {
    case .makeStream: shared.makeStream(names.createNames, ifCurrent { $0.made($1) })
    case .findReplacements:
      let request = names.listConsumers(of: JetStream.names, from: 0)
      link.request(request, within: JetStream.patience, ifCurrent { $0.foundReplacements($1) })
    case .makeConsumer: makeConsumer()
    case .deleteConsumer: deleteConsumer()
    case .openLater(let nanoseconds):
      shared.after(nanoseconds, ifCurrent { $0.perform($0.state.open()) })
    case .pull(let count):
      let consumer = link.consumerName(generation)
      link.pull(names.pull(count, by: consumer, of: JetStream.names), generation)
    case .watch: watch()
    case .report(let name, let entry):
      let waiters = whenHeard.removeValue(forKey: name)
      if let entry { shared.heard(name, entry) }
      waiters?.answer(self)
    case .find(let name, let entry):
      link.request(
        names.findDefinition(name),
        within: JetStream.patience,
        ifCurrent { $0.perform($0.state.found(name, entry, error: JetStreamError($1))) }
      )
    case .deleteReplacement(let sequence): delete(JetStream.replacement(at: sequence))
    case .reportRead:
      whenRead.answer(self)
      shared.namesAreRead()
    case .reportLost: shared.namesAreLost()
    }
  }

  private func made(_ reply: NATSReply) {
    do throws(JetStreamError) {
      let stream = try StreamAnswer(reply)
      shared.namesAreMade(nil)
      perform(state.streamIsThere(last: stream.last))
    } catch {
      // Another server may have made the stream with other settings.
      let isThere = error.number == .nameInUse
      shared.namesAreMade(isThere ? nil : error)
      guard isThere else { return perform(state.reopen()) }
      let request = names.info(JetStream.names)
      link.request(request, within: JetStream.patience, ifCurrent { $0.found($1) })
    }
  }

  private func found(_ reply: NATSReply) {
    let stream = try? StreamAnswer(reply)
    perform(stream.map { state.streamIsThere(last: $0.last) } ?? state.reopen())
  }

  /// Reads the replacements, which are on the first page because NATS sorts consumers by name.
  private func foundReplacements(_ reply: NATSReply) {
    let rows = (try? ConsumerPage(reply))?.rows.compactMap { row in
      JetStream.definition(replacedBy: row.name).map { ($0, row.server ?? "") }
    }
    perform(state.replaced(rows.map { Dictionary($0) { first, _ in first } }))
  }

  private func makeConsumer() {
    generation = shared.nextGeneration()
    link.attach(self, generation)
    link.request(
      names.createNamesReader(link.consumerName(generation)),
      within: 3 * JetStream.patience,
      ifCurrent { names, reply in
        guard JetStreamError(reply) == nil else { return names.perform(names.state.reopen()) }
        let isAtEnd = reply.json["num_pending"]?.number == 0
        names.perform(names.state.consumerIsMade(isAtEnd: isAtEnd, names.shared.now))
      }
    )
  }

  private func deleteConsumer() {
    guard generation > 0 else { return }
    link.detach(generation)
    delete(link.consumerName(generation))
    generation = 0
  }

  private func delete(_ consumer: String) {
    link.request(names.delete(consumer: consumer, of: JetStream.names)) { _ in }
  }

  private func watch() {
    guard !isWatching else { return }
    isWatching = true
    shared.after(1_000_000_000) { [weak self] in
      guard let self else { return }
      isWatching = false
      perform(state.checkSilence(shared.now))
    }
  }
}

extension SharedNames: NATSConsumer {
  func received(_ value: NATSValue) {
    let text = unsafe String(decoding: value.payload, as: UTF8.self)
    let name = unsafe names.name(definedAt: String(decoding: value.subject, as: UTF8.self))
    let entry = Entry(sequence: value.sequence, line: text == JetStream.deleted ? nil : text)
    perform(state.received(name, entry, pending: value.pending, shared.now))
  }

  func received(_ status: NATSHeaders.Status, pending: Int) {
    perform(state.received(status: status.code, pending: pending, shared.now))
  }
}
