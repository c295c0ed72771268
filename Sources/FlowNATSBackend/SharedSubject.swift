internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

/// A subject in a JetStream stream, as one server sees it.
///
/// Publishers of this server send to `intake`, an ordinary subject whose only subscription is the
/// outbox, which fills the stream. The inlet reads the stream and publishes to `subject`, which has
/// the subscriptions of this server.
final class SharedSubject: Retrying {
  let name: String
  let settings: SubjectSettings
  let nats: SubjectSettings.NATS
  // memory 3
  @safe unowned(unsafe) let shared: SharedSubjects
  let subject: ServerSubject
  let intake: ServerSubject
  var state: SharedSubjectState
  var retry: Retry { state.retry }
  private(set) lazy var outbox = Outbox(self)
  private(set) lazy var inlet = Inlet(self, into: subject)
  /// All inlets on this server: `inlet`, and those of runs and durable subscriptions.
  private(set) lazy var inlets = [inlet]
  var durables: [String: DurableReader] = [:]
  /// The same, in the order of their names.
  var allDurables: [DurableReader] { durables.values.sorted { $0.name < $1.name } }
  private(set) lazy var room = Room(self)
  /// Totals of runs and durable subscriptions that have left this server.
  private(set) var readBefore = (delivered: 0, missed: 0)
  private var isBusy = false
  private let whenOpen = Waiters<DefinitionError?>()
  /// Deletions of consumers that wait for the stream.
  private let whenResumed = Waiters<Void>()
  /// Whether the stream takes no more values, as this server knows since then.
  var isSealed = false
  /// The end of the stream, if known.
  private(set) var end: End?

  enum End {
    /// A message at this sequence has the subject's end.
    case message(at: UInt64)
    /// The stream's settings have the end, behind the last value.
    case settings(ServerSubject.Completion, behind: UInt64)
  }

  init(
    name: String,
    settings: SubjectSettings,
    at definition: UInt64?,
    in shared: SharedSubjects
  ) {
    self.name = name
    state = SharedSubjectState(definedAt: definition)
    self.settings = settings
    nats = settings.nats ?? SubjectSettings.NATS()
    self.shared = shared
    let engine = shared.engine
    subject = ServerSubject(name: name, settings: settings, host: engine)
    intake = ServerSubject(
      name: name,
      settings: SubjectSettings(flow: .slowest),
      host: engine
    )
    // Subscriptions get their first values from the stream.
    subject.keepOnly(nil)
    subject.backend = self
    intake.backend = self
    intake.add(outbox) {}
    subject.whenReadersChange = { [unowned self] in inlet.readersChanged() }
  }

  var engine: Engine { shared.engine }
  var link: NATSLink { shared.link }
  var names: JetStream { shared.names }

  /// Whether publishers wait for the slowest reader, so that values are acknowledged.
  var isLossless: Bool { settings.flow == .slowest }

  /// The settings for a new stream; NATS chooses the replicas unless they are set.
  private var wish: StreamSettings {
    let kept = settings.keptCount
    return StreamSettings(
      replicas: nats.replicas ?? 1,
      storage: nats.storage == .memory ? .memory : .file,
      mostMessages: isLossless ? kept + room.size + Self.slack : max(kept, Self.slack),
      refusesWhenFull: isLossless
    )
  }

  /// How many values beyond kept ones and the room the stream may hold; only a safety bound.
  private static let slack = 65_536

  /// The settings of the stream, while it is open.
  var stream: StreamSettings? {
    guard link.isUp, case .open(let settings) = state.phase else { return nil }
    return settings
  }

  var loss: StreamLoss? { state.loss }

  func hasReaders(_ stream: StreamAnswer) -> Bool {
    // One consumer marks that the stream has lost its end.
    stream.consumers > (loss == nil ? 0 : 1)
  }

  var target: StreamSettings? { loss == nil ? stream : nil }

  /// How many messages in the stream are no values.
  var ends: Int { Int(stream?.endMessages ?? 0) }

  /// For rows: `up`, `away…`, `full` or `lost`.
  var natsState: String {
    loss != nil ? "lost" : outbox.lacksStorage && link.isUp ? "full" : shared.state
  }

  var isGone: Bool { state.isGone }

  /// The longest value that NATS takes, less the headers.
  var longestValue: Int { min(engine.configuration.valueLimit, link.longestValue) }

  /// Why the subject cannot be used: NATS has something else by this name, or has lost the stream.
  var refusal: DefinitionError? {
    if case .refused(let text) = state.phase { DefinitionError(.exists, text) } else { loss?.error }
  }

  func linkIsUp() { perform(state.linkIsUp()) }

  func linkIsAway() {
    state.linkIsAway()
    outbox.linkIsAway()
    for inlet in inlets { inlet.linkIsAway() }
  }

  /// Looks up the stream, because it seems missing or sealed, or makes it.
  func check() { perform(state.inspect(isUp: link.isUp)) }

  func claimAgain() { perform(state.nameIsLost(isUp: link.isUp)) }

  func heard(_ entry: SharedNames.Entry) {
    let isDeletion = entry.line == nil
    let isUp = link.isUp
    perform(state.nameHasChanged(at: entry.sequence, isDeletion: isDeletion, isUp: isUp))
  }

  func whenOpen(_ done: @escaping (DefinitionError?) -> Void) {
    if let loss { return done(loss.error) }
    switch state.phase {
    case .closed: whenOpen.add(done)
    case .open: done(nil)
    case .refused(let text): done(DefinitionError(.exists, text))
    case .gone: done(deleted)
    }
  }

  func notifyWaiting(_ error: DefinitionError?) { whenOpen.answer(error) }

  /// Finds the end of the stream, even if no value is requested.
  func findEnd() {
    guard stream != nil, end == nil else { return }
    link.request(names.findEnd(name)) { [weak self] reply in
      guard let self else { return }
      if let place = reply.json["message"]?["seq"]?.place { return found(.message(at: place)) }
      guard JetStreamError(reply)?.number == .messageNotFound else { return }
      link.request(names.info(name), within: JetStream.patience) { [weak self] reply in
        guard let self, let answer = try? StreamAnswer(reply), let text = answer.settings.end
        else { return }
        state.seal(end: text)
        found(.settings(ServerSubject.Completion(line: text), behind: answer.last))
      }
    }
  }

  private func found(_ end: End) {
    self.end = end
    scheduleEndOfTurn()
  }

  private func perform(_ steps: [SharedSubjectState.Step]) { for step in steps { perform(step) } }

  private func perform(_ step: SharedSubjectState.Step) {
    switch step {
    case .makeStream:
      let create = { [nats, name, names, wish] (usualReplicas: Int) in
        var settings = wish
        settings.replicas = nats.replicas ?? usualReplicas
        return names.create(name, settings)
      }
      shared.makeStream(create, answerHandler())
    case .requestStream:
      link.request(names.info(name), within: JetStream.patience, answerHandler())
    case .learnPlaces:
      room.learnPlaces(ifCurrent { $0.perform($0.state.placesAreKnown(isUp: $0.link.isUp)) })
    case .claimName(let stream): claimName(stream)
    case .deleteStream(let error):
      let deleted = ifCurrent { (subject: SharedSubject, _: NATSReply) in
        subject.perform(subject.state.streamIsDeleted(error))
      }
      link.request(names.delete(name), deleted)
    case .inspectLater(let nanoseconds): shared.after(nanoseconds, ifCurrent { $0.check() })
    case .recordStream(let stream): room.note(stream)
    case .seal: seal()
    case .resume:
      outbox.streamIsOpen()
      for inlet in inlets { inlet.streamIsOpen() }
      whenResumed.answer(())
    case .notifyWaiting(let error): notifyWaiting(error)
    case .reportRefusal(let text):
      log("refused", text)
      notifyWaiting(DefinitionError(.exists, text))
    case .warn(let text): warn(text)
    case .declareLost(let answer): declareLost(answer)
    case .remove: removeDeleted()
    }
  }

  private func answerHandler() -> (NATSReply) -> Void {
    let newest = room.newest
    return ifCurrent { $0.answered($1, newest) }
  }

  /// Handles the stream's state; `newest` was the newest known value at the request.
  private func answered(_ reply: NATSReply, _ newest: UInt64) {
    var conflict: String?
    let answer: Result<StreamAnswer, JetStreamError>
    do throws(JetStreamError) {
      let stream = try StreamAnswer(reply)
      conflict = self.conflict(with: stream)
      answer = .success(stream)
    } catch {
      answer = .failure(error)
    }
    let steps = state.answered(
      answer,
      newest: newest,
      conflict: conflict,
      now: shared.now,
      isUp: link.isUp
    )
    perform(steps)
  }

  /// Defines the name for this subject on all servers.
  private func claimName(_ stream: StreamAnswer) {
    let line = "\(Command.subject(name: name, settings))"
    let isWanted = { [weak self] in
      self.map { $0.state.request == .name && !$0.isGone } ?? false
    }
    shared.definitions.define(name, line, while: isWanted) { [weak self] result in
      guard let self else { return }
      let steps = state.claimed(
        claim(result),
        stream,
        conflict: conflict(with: stream),
        isAwaited: !whenOpen.isEmpty
      )
      perform(steps)
    }
  }

  private func claim(
    _ result: Result<SharedNames.Entry, DefinitionError>
  ) -> SharedSubjectState.Claim {
    switch result {
    case .failure(let error): return .failed(error.code == .limit ? error : nil)
    case .success(let entry):
      guard let line = entry.line else { return .failed(nil) }
      guard let there = SubjectSettings(definition: line, of: name), there.agrees(with: settings)
      else { return .refused("NATS has another definition of it: \(FrameWriter.oneLine(line))") }
      return .defined(at: entry.sequence)
    }
  }

  /// Returns how the stream's settings differ from this subject's, if they do.
  private func conflict(with stream: StreamAnswer) -> String? {
    let wish = wish
    let matches =
      stream.settings.mostMessages == wish.mostMessages
      && stream.settings.refusesWhenFull == wish.refusesWhenFull
      && isKept(as: nats, in: stream.settings)
    return matches
      ? nil : "there is a stream \(names.stream(name)) in NATS with other settings"
  }

  /// Whether the stream's storage matches the settings given in `nats`.
  private func isKept(as nats: SubjectSettings.NATS, in stream: StreamSettings) -> Bool {
    (nats.replicas ?? stream.replicas) == stream.replicas
      && (nats.storage == nil || nats.storage?.rawValue == stream.storage.rawValue)
  }

  func agrees(with settings: SubjectSettings) -> Bool {
    guard self.settings.agrees(with: settings) else { return false }
    guard let nats = settings.nats, case .open(let stream) = state.phase else { return true }
    return isKept(as: nats, in: stream)
  }

  /// Logs a message of NATS as a warning.
  func warn(_ text: String) { log("nats-says", text) }

  private func log(_ event: String, _ text: String) {
    engine.log(
      .warning,
      event,
      "subject \(name): \(text)",
      [.text("kind", "subject"), .text("name", name)]
    )
  }

  var readerInlets: ArraySlice<Inlet> { inlets.dropFirst() }

  func add(_ inlet: Inlet) { inlets.append(inlet) }

  func remove(_ inlet: Inlet) {
    inlets.removeAll { $0 === inlet }
    readBefore.delivered += inlet.subject.delivered
    readBefore.missed += inlet.subject.missed
  }

  /// Deletes the consumers whose names begin with `prefix`, until NATS no longer lists one.
  ///
  /// What they have had is purged first: otherwise the next consumer would read it again. `isWanted` gets those that are
  /// listed, and all consumers, and says whether to delete them.
  func deleteConsumers(
    like prefix: String,
    while isWanted: @escaping (_ own: [ConsumerPage.Row], _ all: [ConsumerPage.Row]) -> Bool = {
      own,
      _ in !own.isEmpty
    }
  ) {
    let again = { [weak self] in
      guard let self, !isGone else { return }
      deleteConsumers(like: prefix, while: isWanted)
    }
    guard stream != nil else { return whenResumed.add { _ in again() } }
    room.checkReaders { [weak self] rows in
      guard let self else { return }
      if let rows {
        let own = rows.filter { $0.isOne(of: prefix) }
        guard isWanted(own, rows) else { return }
        for row in own { delete(consumer: row.name) }
      }
      shared.after(250_000_000, again)
    }
  }

  func delete(consumer: String) {
    link.request(names.delete(consumer: consumer, of: name)) { _ in }
  }

  func scheduleEndOfTurn() {
    guard !isBusy else { return }
    isBusy = true
    shared.scheduleEndOfTurn(self)
  }

  func endTurn() {
    isBusy = false
    guard !isGone else { return }
    for inlet in inlets { inlet.endTurn() }
    outbox.endTurn()
  }
}
