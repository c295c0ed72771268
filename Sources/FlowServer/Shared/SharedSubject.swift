internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// A subject that lives in a stream of JetStream, as one server has it.
///
/// Publishers of this server send to the `intake`, an ordinary subject whose one subscription is the outbox, which
/// takes the values to the stream. The inlet reads the stream and publishes what it reads to the `subject`, which has
/// the subscriptions of this server.
final class SharedSubject {
  let name: String
  let settings: SubjectSettings
  let nats: SubjectSettings.NATS
  // memory 3
  @safe unowned(unsafe) let shared: SharedSubjects
  let subject: ServerSubject
  let intake: ServerSubject
  var state: SharedSubjectState
  private(set) lazy var outbox = Outbox(self)
  /// Reads for the subscriptions of this server.
  private(set) lazy var inlet = Inlet(self, into: subject)
  /// `inlet`, and the inlets of runs and durable subscriptions that are on this server.
  private(set) lazy var inlets = [inlet]
  /// The durable subscriptions that are on this server, by their names.
  var durables: [String: DurableReader] = [:]
  private lazy var consumerDeletion = ConsumerDeletion(self)
  private(set) lazy var room = Room(self)
  /// The counts of values of runs and durable subscriptions that have left this server.
  private(set) var readBefore = (delivered: 0, missed: 0)
  private var isBusy = false
  private let whenOpen = Waiters<DefinitionError?>()
  /// Whether the stream takes no more values, as this server knows since then.
  var isSealed = false
  /// The end of the stream, once it was found.
  private(set) var end: End?

  enum End {
    /// The message at this place says how the subject has ended.
    case message(at: UInt64)
    /// The settings of the stream say how; its last value is at this place.
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
    // The values that a subscription gets first come from the stream.
    subject.keepOnly(nil)
    subject.backend = self
    intake.backend = self
    intake.add(outbox) {}
    subject.whenReadersChange = { [unowned self] in inlet.readersChanged() }
  }

  var engine: Engine { shared.engine }
  var link: NATSLink { shared.link }
  var names: JetStream { shared.names }

  /// Whether publishers wait for the slowest subscription, so that values are acknowledged.
  var isLossless: Bool { settings.flow == .slowest }

  /// The settings with which the stream is made; unless replicas are set, NATS decides about them.
  private var wish: StreamSettings {
    let kept = settings.keptCount
    return StreamSettings(
      replicas: nats.replicas ?? 1,
      storage: nats.storage == .memory ? .memory : .file,
      mostMessages: isLossless ? kept + room.size + Self.slack : max(kept, Self.slack),
      refusesWhenFull: isLossless
    )
  }

  /// The values that a stream may hold beside those that are kept and the room: publishers observe the room, this
  /// only bounds the stream.
  private static let slack = 65_536

  /// The settings of the stream, while values can be sent and read.
  var stream: StreamSettings? {
    guard link.isUp, case .open(let settings) = state.phase else { return nil }
    return settings
  }

  /// The part of the stream that NATS has lost, if it has.
  var loss: StreamLoss? { state.loss }

  /// Whether the stream has a consumer that reads.
  func hasReaders(_ stream: StreamAnswer) -> Bool {
    // One consumer marks that the stream's end was lost.
    stream.consumers > (loss == nil ? 0 : 1)
  }

  /// The settings of the stream, while values can be sent.
  var target: StreamSettings? { loss == nil ? stream : nil }

  /// The number of messages in the stream that are no values.
  var ends: Int { Int(stream?.endMessages ?? 0) }

  /// The state of NATS for this subject, as rows show it: `up`, `away…`, `full` or `lost`.
  var natsState: String {
    loss != nil ? "lost" : outbox.lacksStorage && link.isUp ? "full" : shared.state
  }

  var isGone: Bool { state.isGone }

  /// The size of the longest value that NATS takes, which counts a message's headers too.
  var longestValue: Int { min(engine.configuration.valueLimit, link.longestValue) }

  /// The reason why the subject cannot be used: NATS has something else by this name, or has lost the stream.
  var refusal: DefinitionError? {
    if case .refused(let text) = state.phase { DefinitionError(.exists, text) } else { loss?.error }
  }

  // MARK: The stream

  func linkIsUp() { perform(state.linkIsUp()) }

  func linkIsAway() {
    state.linkIsAway()
    outbox.linkIsAway()
    for inlet in inlets { inlet.linkIsAway() }
  }

  /// Looks up the stream, which seems to be missing or to take no values, or has it made.
  func check() { perform(state.inspect(isUp: link.isUp)) }

  /// The names stream has lost the name.
  func claimAgain() { perform(state.nameIsLost(isUp: link.isUp)) }

  /// The name was defined or deleted, here or elsewhere.
  func heard(_ entry: SharedNames.Entry) {
    let isDeletion = entry.line == nil
    let isUp = link.isUp
    perform(state.nameHasChanged(at: entry.sequence, isDeletion: isDeletion, isUp: isUp))
  }

  /// Calls `done` once the stream is open, or with the reason why it cannot be.
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

  /// Finds the end of the stream, which nobody need request a value for.
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
      room.learnPlaces { [weak self] in
        guard let self else { return }
        perform(state.placesAreKnown(isUp: link.isUp))
      }
    case .claimName(let stream): claimName(stream)
    case .deleteStream(let error):
      link.request(names.delete(name)) { [weak self] _ in
        guard let self else { return }
        perform(state.streamIsDeleted(error))
      }
    case .inspectLater(let nanoseconds): shared.after(nanoseconds) { [weak self] in self?.check() }
    case .recordStream(let stream): room.note(stream)
    case .seal: seal()
    case .resume:
      outbox.streamIsOpen()
      for inlet in inlets { inlet.streamIsOpen() }
      consumerDeletion.resume()
    case .notifyWaiting(let error): notifyWaiting(error)
    case .reportRefusal(let text):
      log("refused", text)
      notifyWaiting(DefinitionError(.exists, text))
    case .warn(let text): warn(text)
    case .declareLost(let answer): declareLost(answer)
    case .remove: isDeleted()
    }
  }

  private func answerHandler() -> (NATSReply) -> Void {
    let newest = room.newest
    return { [weak self] in self?.answered($0, newest) }
  }

  /// NATS has answered what the stream is like; `newest` was its newest known value when it was asked.
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

  /// Has the name stand for this subject, on all servers.
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

  /// Returns why `stream` cannot be this subject's, if it has other settings.
  private func conflict(with stream: StreamAnswer) -> String? {
    let wish = wish
    let matches =
      stream.settings.mostMessages == wish.mostMessages
      && stream.settings.refusesWhenFull == wish.refusesWhenFull
      && isKept(as: nats, in: stream.settings)
    return matches
      ? nil : "there is a stream \(names.stream(name)) in NATS with other settings"
  }

  /// Whether the stream is kept as `nats` says, as far as it does.
  private func isKept(as nats: SubjectSettings.NATS, in stream: StreamSettings) -> Bool {
    (nats.replicas ?? stream.replicas) == stream.replicas
      && (nats.storage == nil || nats.storage?.rawValue == stream.storage.rawValue)
  }

  /// Whether a definition with these settings is one of this subject.
  func agrees(with settings: SubjectSettings) -> Bool {
    guard self.settings.agrees(with: settings) else { return false }
    guard let nats = settings.nats, case .open(let stream) = state.phase else { return true }
    return isKept(as: nats, in: stream)
  }

  /// Logs a warning with a message of NATS.
  func warn(_ text: String) { log("nats-says", text) }

  private func log(_ event: String, _ text: String) {
    engine.log(
      .warning,
      event,
      "subject \(name): \(text)",
      [.text("kind", "subject"), .text("name", name)]
    )
  }

  // MARK: Runs and durable subscriptions

  /// The inlets of runs and durable subscriptions that are on this server.
  var readerInlets: ArraySlice<Inlet> { inlets.dropFirst() }

  func add(_ inlet: Inlet) { inlets.append(inlet) }

  func remove(_ inlet: Inlet) {
    inlets.removeAll { $0 === inlet }
    readBefore.delivered += inlet.subject.delivered
    readBefore.missed += inlet.subject.missed
  }

  /// Deletes all consumers of a run, so that it holds up nobody any more.
  func deleteConsumers(like prefix: String) { consumerDeletion.add(prefix) }

  func delete(consumer: String) {
    link.request(names.delete(consumer: consumer, of: name)) { _ in }
  }

  // MARK: The turn

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
