internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// A subject that lives in a stream of JetStream, as one server has it.
///
/// What publishers of this server send comes to the `entrance`, an ordinary subject whose one
/// subscription is the outbox, which takes the values to the stream. The inlet reads the stream and
/// publishes what it reads to the `subject`, which the subscriptions of this server are on.
final class SharedSubject {
  let name: String
  let settings: SubjectSettings
  let nats: SubjectSettings.NATS
  // memory 3
  @safe unowned(unsafe) let shared: SharedSubjects
  let subject: ServerSubject
  let entrance: ServerSubject
  private(set) lazy var outbox = Outbox(self)
  /// What reads for the subscriptions of this server.
  private(set) lazy var inlet = Inlet(self, into: subject)
  /// That one, and those that read for runs and durable subscriptions which are on this server.
  private lazy var inlets = [inlet]
  /// The durable subscriptions that are on this server, by their names.
  var durables: [String: DurableReader] = [:]
  /// What the names of consumers begin with that are to be deleted.
  private var doomed: Set<String> = []
  private var isDeletingDoomed = false
  private(set) lazy var room = Room(self)
  /// What was delivered to, and missed by, runs and durable subscriptions that have left this server.
  private(set) var readBefore = (delivered: 0, missed: 0)

  private enum State {
    /// The stream is to be made, or to be looked at.
    case closed
    case open(StreamSettings)
    /// What is called so in NATS is another thing.
    case refused(String)
    /// The subject was deleted, here or elsewhere, or is no longer this server's.
    case gone
  }

  private var state = State.closed
  /// Where the stream of names has its definition, once it does.
  private var definition: UInt64?
  /// Whether the stream was there, so that it is not made anew.
  private var wasOpen: Bool
  private var isAsking = false
  /// Whether the places are known that consumers had in the stream before this server was there.
  private var knowsPlaces = false
  /// Whether this server deletes it, and what is heard of that waits for the answer.
  private var isDeleting = false

  private enum Health {
    case whole
    /// Since `since` NATS says that the stream does not exist, or that it ends before a value that it had.
    case suspect(since: Int64)
    /// The subject takes no values until somebody deletes it.
    case lost(StreamLoss)
  }

  private var health = Health.whole
  private var backoff = Backoff(50_000_000, 1_000_000_000)
  private var isBusy = false
  private var whenOpen: [(DefinitionError?) -> Void] = []
  /// Since when the stream has taken no values and yet has no end.
  private var endlessSince: Int64?

  init(
    name: String,
    settings: SubjectSettings,
    at definition: UInt64?,
    in shared: SharedSubjects
  ) {
    self.name = name
    self.definition = definition
    // Whoever has defined it has made the stream first.
    wasOpen = definition != nil
    self.settings = settings
    nats = settings.nats ?? SubjectSettings.NATS()
    self.shared = shared
    let engine = shared.engine
    subject = ServerSubject(name: name, settings: settings, host: engine)
    entrance = ServerSubject(
      name: name,
      settings: SubjectSettings(flow: .slowest),
      host: engine
    )
    // What it keeps comes from the stream.
    subject.keepOnly(nil)
    entrance.keeper = outbox
    entrance.add(outbox) {}
    subject.whenReadersChange = { [unowned self] in inlet.readersChanged() }
  }

  var engine: Engine { shared.engine }
  var link: NATSLink { shared.link }
  var names: JetStream { shared.names }

  /// Whether publishers wait for the slowest subscription, so that values are acknowledged.
  var isLossless: Bool { settings.flow == .slowest }

  /// How the stream is made, if the settings leave a choice by the kind of NATS that is there.
  private var wish: StreamSettings {
    let kept = settings.keptCount
    return StreamSettings(
      replicas: nats.replicas ?? 1,
      storage: nats.storage == .memory ? .memory : .file,
      mostMessages: isLossless ? kept + room.size + Self.slack : max(kept, Self.slack),
      refusesWhenFull: isLossless
    )
  }

  /// How many values a stream may hold beside what is kept and the room: the room is kept by those
  /// who publish, this only bounds it.
  private static let slack = 65_536

  /// The settings of the stream, if it is there and values can be sent and read.
  var stream: StreamSettings? {
    guard link.isUp, case .open(let settings) = state else { return nil }
    return settings
  }

  /// What NATS has lost of the stream, if it has.
  var loss: StreamLoss? { if case .lost(let loss) = health { loss } else { nil } }

  /// Whether the stream has a consumer that reads.
  func hasReaders(_ stream: StreamAnswer) -> Bool {
    // One marks that its end was lost.
    stream.consumers > (loss == nil ? 0 : 1)
  }

  /// The settings of the stream, if values can be sent.
  var target: StreamSettings? { loss == nil ? stream : nil }

  /// How many messages of the stream are no values: its end is one.
  var ends: Int { stream?.takesNoValues == true ? 1 : 0 }

  /// The state of NATS for this subject, as rows show it: `up`, `away…`, `full` or `lost`.
  var natsState: String {
    loss != nil ? "lost" : outbox.lacksStorage && link.isUp ? "full" : shared.state
  }

  var isGone: Bool { if case .gone = state { true } else { false } }

  /// The longest value that NATS takes; its headers are part of what it counts.
  var longestValue: Int { min(engine.configuration.valueLimit, link.longestValue) }

  // MARK: The stream

  func linkIsUp() {
    backoff.reset()
    isAsking = false
    switch state {
    case .closed, .open:
      state = .closed
      ask()
    case .refused, .gone: break
    }
  }

  func linkIsAway() {
    isAsking = false
    outbox.linkIsAway()
    for inlet in inlets { inlet.linkIsAway() }
  }

  /// Calls `done` once the stream is there, or with the reason why it cannot be.
  func whenOpen(_ done: @escaping (DefinitionError?) -> Void) {
    if let loss { return done(loss.error) }
    switch state {
    case .closed: whenOpen.append(done)
    case .open: done(nil)
    case .refused(let text): done(DefinitionError(.exists, text))
    case .gone: done(DefinitionError(.unknownName, "subject \(name) was deleted"))
    }
  }

  /// Has the stream made, or looks at it.
  private func ask() {
    guard link.isUp, !isAsking, !isGone else { return }
    isAsking = true
    let newest = room.newest
    let done: (NATSReply) -> Void = { [weak self] in self?.answered($0, newest) }
    if wasOpen { return link.request(names.info(name), within: JetStream.patience, done) }
    let create = { [nats, name, names, wish] (usualReplicas: Int) in
      var settings = wish
      settings.replicas = nats.replicas ?? usualReplicas
      return names.create(name, settings)
    }
    shared.makeStream(create, done)
  }

  /// Asks which places Flow's consumers have had, which is known of no stream that was there before this server: one
  /// that ends before them has lost its last values.
  private func learnPlaces() {
    isAsking = true
    room.learnPlaces { [weak self] in
      guard let self, link.isUp, isAsking else { return }
      isAsking = false
      knowsPlaces = true
      ask()
    }
  }

  /// NATS has answered what the stream is like; `newest` was its newest known value when it was asked.
  private func answered(_ reply: NATSReply, _ newest: UInt64) {
    isAsking = false
    guard !isGone else { return }
    do throws(JetStreamError) {
      let answer = try StreamAnswer(reply)
      guard answer.last >= newest || loss != nil else { return suspectLoss(answer) }
      guard knowsPlaces || answer.consumers == 0 else { return learnPlaces() }
      knowsPlaces = true
      opened(answer)
    } catch {
      switch error.number {
      case .nameInUse where !wasOpen:
        // Maybe only what was left open differs, or it has ended.
        wasOpen = true
        ask()
      case .streamNotFound where wasOpen: suspectLoss(nil)
      default:
        if error.code > 0, error.number != .notAvailable, !error.isWithoutJetStream, !wasOpen {
          if backoff.isFirst { note("NATS says: \(error)") }
          tellOpen(DefinitionError(.limit, "NATS says: \(error)"))
        }
        askLater()
      }
    }
  }

  /// The stream does not exist (`answer` is nil), or it ends before a value that it had.
  ///
  /// Asks again before it takes the stream for lost: a server of NATS may have just started, or another Flow server
  /// may be deleting the subject.
  private func suspectLoss(_ answer: StreamAnswer?) {
    guard loss == nil, !isDeleting else { return }
    let since = if case .suspect(let since) = health { since } else { shared.now }
    health = .suspect(since: since)
    let left = since + (answer == nil ? Self.missingPatience : Self.cutPatience) - shared.now
    guard left <= 0 else { return shared.after(left) { [weak self] in self?.ask() } }
    declareLost(answer)
  }

  /// After how many nanoseconds a missing stream is taken for lost.
  private static let missingPatience: Int64 = 2_000_000_000
  /// The same for a stream that ends too early: its new leader may still be reading its files.
  private static let cutPatience: Int64 = 5_000_000_000

  /// The stream is lost, or its last values are; the rest of it can still be read.
  private func declareLost(_ answer: StreamAnswer?) {
    let last = answer?.last ?? 0
    let read = inlets.compactMap(\.expected).min().map { $0 - 1 } ?? 0
    let newest = max(room.newest, room.announced)
    let known = min(newest, max(last, room.floor, room.oldFloor, read))
    let loss = StreamLoss(
      name: name,
      isWhole: answer == nil,
      last: last,
      newest: newest,
      count: newest - known
    )
    health = .lost(loss)
    state = answer.map { .open($0.settings) } ?? .closed
    engine.notify(.natsLost(name: name, count: Int(clamping: loss.count), text: loss.text))
    outbox.streamIsLost()
    for inlet in inlets { inlet.streamIsLost(loss) }
    tellOpen(loss.error)
    if answer != nil { mark(loss) }
  }

  /// Marks the stream as one that has lost its end, for servers that are started later: NATS keeps the settings of a
  /// consumer, and needs no room to store them.
  private func mark(_ loss: StreamLoss) {
    let settings = ConsumerSettings(
      start: loss.newest + 1,
      acknowledges: true,
      threshold: nil,
      server: engine.clients.place
    )
    link.request(names.create(consumer: JetStream.lossMark, of: name, settings)) { _ in }
  }

  private func askLater() {
    shared.after(backoff.next()) { [weak self] in self?.ask() }
  }

  private func opened(_ answer: StreamAnswer) {
    wasOpen = true
    if loss == nil { health = .whole }
    let wish = wish
    let isSame =
      answer.settings.mostMessages == wish.mostMessages
      && answer.settings.refusesWhenFull == wish.refusesWhenFull
      && isKept(as: nats, in: answer.settings)
    guard isSame else {
      return refuse("there is a stream \(names.stream(name)) in NATS with other settings")
    }
    backoff.reset()
    guard definition != nil else { return claim(answer) }
    let wasClosed = if case .closed = state { true } else { false }
    state = .open(answer.settings)
    room.note(answer)
    if answer.settings.takesNoValues { noteEnd() }
    if wasClosed {
      outbox.streamIsOpen()
      for inlet in inlets { inlet.streamIsOpen() }
      deleteDoomed()
    }
    tellOpen(nil)
  }

  /// Whether the stream is kept as `nats` says, as far as it does.
  private func isKept(as nats: SubjectSettings.NATS, in stream: StreamSettings) -> Bool {
    (nats.replicas ?? stream.replicas) == stream.replicas
      && (nats.storage == nil || nats.storage?.rawValue == stream.storage.rawValue)
  }

  /// Whether a definition with these settings is one of this subject.
  func agrees(with settings: SubjectSettings) -> Bool {
    guard self.settings.agrees(with: settings) else { return false }
    guard let nats = settings.nats, case .open(let stream) = state else { return true }
    return isKept(as: nats, in: stream)
  }

  private func refuse(_ text: String) {
    state = .refused(text)
    log("refused", text)
    tellOpen(DefinitionError(.exists, text))
  }

  /// Warns of what NATS says.
  func note(_ text: String) { log("nats-says", text) }

  private func log(_ event: String, _ text: String) {
    engine.log(
      .warning,
      event,
      "subject \(name): \(text)",
      [.text("kind", "subject"), .text("name", name)]
    )
  }

  // MARK: The name

  /// Has the name stand for this subject, on all servers.
  private func claim(_ answer: StreamAnswer) {
    isAsking = true
    let line = "\(Command.subject(name: name, settings))"
    let isWanted = { [weak self] in self.map { $0.isAsking && !$0.isGone } ?? false }
    shared.definitions.define(name, line, while: isWanted) { [weak self] result in
      guard let self, isAsking, !isGone else { return }
      isAsking = false
      if case .failure(let error) = result, error.code == .limit { tellOpen(error) }
      guard case .success(let entry) = result, let there = entry.line else { return askLater() }
      guard let there = SubjectSettings(definition: there, of: name), there.agrees(with: settings)
      else { return refuse("NATS has another definition of it: \(FrameWriter.oneLine(there))") }
      definition = entry.sequence
      opened(answer)
    }
  }

  /// The stream of names has lost the name.
  func claimAgain() {
    guard definition != nil, !isGone else { return }
    definition = nil
    if link.isUp { ask() }
  }

  /// The name was defined or deleted, here or elsewhere.
  func heard(_ entry: SharedNames.Entry) {
    if let definition {
      if entry.sequence > definition, !isDeleting { isDeleted() }
    } else if loss != nil, entry.line == nil, !isDeleting {
      isDeleted()
    } else if case .refused = state, entry.line == nil {
      state = .closed
      ask()
    }
  }

  private func tellOpen(_ error: DefinitionError?) {
    let waiting = whenOpen
    whenOpen.removeAll()
    for done in waiting { done(error) }
  }

  /// Looks whether the stream is still there and takes values, since it seems not to.
  func check() { ask() }

  // MARK: Runs and durable subscriptions

  /// What reads for runs and durable subscriptions that are on this server.
  var readerInlets: ArraySlice<Inlet> { inlets.dropFirst() }

  func add(_ inlet: Inlet) { inlets.append(inlet) }

  func remove(_ inlet: Inlet) {
    inlets.removeAll { $0 === inlet }
    readBefore.delivered += inlet.subject.delivered
    readBefore.missed += inlet.subject.missed
  }

  /// Has all consumers of a run deleted, so that it holds up nobody any more.
  ///
  /// What it has had is purged first: else the next one to come would have it again.
  func deleteConsumers(like prefix: String) {
    doomed.insert(prefix)
    deleteDoomed()
  }

  private func deleteDoomed() {
    guard stream != nil, !doomed.isEmpty, !isDeletingDoomed else { return }
    isDeletingDoomed = true
    room.look { [weak self] rows in
      guard let self else { return }
      if let rows {
        doomed = doomed.filter { prefix in rows.contains { $0.isOne(of: prefix) } }
        for row in rows where doomed.contains(where: row.isOne) { delete(consumer: row.name) }
      }
      shared.after(Self.pause) { [weak self] in
        self?.isDeletingDoomed = false
        self?.deleteDoomed()
      }
    }
  }

  /// How long NATS may take to delete consumers before it is asked again, in nanoseconds.
  private static let pause: Int64 = 500_000_000

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

  // MARK: The end

  /// The stream takes no more values: whoever has ended it says how in it.
  func noteEnd() {
    if case .open(var settings) = state, !settings.takesNoValues {
      settings.takesNoValues = true
      state = .open(settings)
    }
    outbox.close(.completed)
    entrance.complete(.finished)
    guard endlessSince == nil else { return }
    endlessSince = shared.now
    lookForEnd()
  }

  /// Ends a subject whose end is missing: the server that was to say it has died before.
  private func lookForEnd() {
    shared.after(Self.patience) { [weak self] in
      guard let self, !isGone, subject.completion == nil else { return }
      outbox.end.force(.failure(Publication.lost))
    }
  }

  /// How long the end of a stream that takes no values may be missing, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  /// Somebody has said how the subject ends.
  func hasEnded() {
    noteEnd()
    for inlet in inlets { inlet.findEnd() }
  }

  /// The end has been read.
  func ended(_ completion: ServerSubject.Completion) {
    outbox.close(.completed)
    entrance.complete(completion)
    subject.complete(completion)
  }

  /// Completes the subject, for all servers; `done` is told why not, if so.
  func complete(
    _ completion: ServerSubject.Completion,
    _ done: @escaping (DefinitionError?) -> Void
  ) {
    outbox.end.whenWritten(done)
    entrance.complete(completion)
  }

  /// Deletes the subject, for all servers; `done` is told why not, if so.
  ///
  /// What is called so in NATS and is another thing stays.
  func delete(_ done: @escaping (DefinitionError?) -> Void) {
    if case .refused = state { return done(nil) }
    guard link.isUp else { return done(away("deleted")) }
    if definition == nil, loss == nil {
      // Its name is being put there: that comes first.
      return whenOpen { [weak self] error in
        guard let self else { return }
        if case .refused = state { return done(nil) }
        if error == nil { return delete(done) }
        // NATS has no room for it, so there is nothing to delete.
        done(error?.code == .limit ? nil : away("deleted"))
      }
    }
    isDeleting = true
    let end = { [weak self] (isDone: Bool) in
      guard let self else { return }
      isDeleting = false
      done(isDone ? nil : away("deleted"))
      if let entry = shared.definitions[name] { heard(entry) }
    }
    link.request(names.delete(name)) { [weak self] reply in
      guard let self else { return }
      if let error = JetStreamError(reply), error.number != .streamNotFound { return end(false) }
      // The name is deleted last: if it were defined anew before, the new stream would be deleted. If NATS has lost
      // the name as well, a deletion is still stored, for the other servers that have the subject.
      guard let definition = definition ?? (loss == nil ? nil : 0) else { return end(true) }
      shared.definitions.delete(name, at: definition, isSame: { _ in false }, end)
    }
  }

  /// What is said when NATS does not answer of the subject, or of something that it has.
  func away(_ what: String, _ part: String? = nil) -> DefinitionError {
    let state = outbox.lacksStorage ? "NATS has no room to store it" : shared.silence
    return DefinitionError(
      .away,
      "\(state); \(part ?? name) may or may not have been \(what)"
    )
  }

  /// The error for a value that is not known to be stored.
  var notStored: DefinitionError { loss?.error ?? away("stored") }

  /// The stream is no longer there.
  func isDeleted() {
    guard !isGone, engine.registry.subject(name) === subject else { return }
    inlet.tellOpen()
    guard let entry = engine.registry.remove(name) else { return }
    let wasKnown = definition != nil || loss != nil
    let shared = shared
    engine.notify(.deleted(kind: entry.kind, name: name))
    entry.end()
    if wasKnown { shared.isDeleted(name) } else { shared.nameIsFree(name) }
  }

  /// Why it cannot be used: NATS has something else by this name, or has lost the stream.
  var refusal: DefinitionError? {
    if case .refused(let text) = state { DefinitionError(.exists, text) } else { loss?.error }
  }

  /// This server has it no more.
  func leave() {
    state = .gone
    subject.whenReadersChange = nil
    for inlet in inlets { inlet.leave() }
    // Those that are being opened are told so first: nothing is said of a stream before its answer.
    for durable in durables.values { durable.subjectIsDeleted() }
    for inlet in readerInlets { inlet.subject.delete() }
    outbox.close(.deleted)
    entrance.delete()
    entrance.keeper = nil
    tellOpen(DefinitionError(.unknownName, "subject \(name) was deleted"))
  }
}
