internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

/// Reads a shared subject's stream for the subscriptions of this server, or for one reader.
///
/// It reads while there is a subscription, and requests as many values as the subject grants.
/// Whenever values may be missing, a new consumer starts at the next expected value, so that none
/// is missed or repeated.
final class Inlet: Retrying {
  // memory 3
  @safe unowned(unsafe) let shared: SharedSubject
  let subject: ServerSubject
  /// The run or durable subscription it reads for; nil for the subscriptions of this server.
  private(set) weak var reader: (any InletReader)?
  /// The prefix of the names of all consumers of the reader.
  let consumers: String?
  var state = InletState()
  var retry: Retry { state.retry }
  /// The number of the present consumer, 0 if there is none.
  private var generation: UInt64 = 0
  var publication: Publication?
  var pulls = PullState()
  var acks = AckState()
  /// The reader's unacknowledged values, if it acknowledges them itself.
  var unacknowledged: UnacknowledgedValues?
  var backlog = InletBacklog()
  var isPaced = false
  var isWatching = false
  var lastSweep: Int64 = 0
  private let whenOpen = Waiters<Void>()
  let whenClosed = Waiters<Void>()
  var repetitions = Repetitions()
  /// Values that were deleted before they were read.
  var gaps = 0
  var tooLong = 0

  init(
    _ shared: SharedSubject,
    into subject: ServerSubject,
    for reader: (any InletReader)? = nil
  ) {
    self.shared = shared
    self.subject = subject
    self.reader = reader
    consumers = reader?.consumers
  }

  var link: NATSLink { shared.link }
  var now: Int64 { shared.shared.now }
  var expected: UInt64? { state.expected }
  var outstanding: Int { pulls.outstanding }
  var isClosed: Bool { state.phase == .closed }
  /// Whether new values are being read.
  var isOpen: Bool { state.phase == .open || subject.completion != nil }
  /// Undelivered values: repetitions, and values over the size limit.
  var leftOut: Int { repetitions.count + tooLong }

  /// Whether values are acknowledged; a reader's always are, to store its position.
  var acknowledges: Bool { shared.isLossless || consumers != nil }

  /// How long NATS keeps an unused consumer, in nanoseconds.
  var threshold: Int64 { max(subject.stall, 30_000_000_000) }

  var consumer: String {
    consumers.map { "\($0)\(link.epoch)-\(generation)" } ?? link.consumerName(generation)
  }

  private var surroundings: InletState.Surroundings {
    InletState.Surroundings(
      isStreamOpen: shared.stream != nil,
      isLossless: shared.isLossless,
      isForReader: consumers != nil,
      mayRead: consumers == nil || reader?.isHeld == true,
      hasSubscriptions: subject.outletCount > 0,
      isOver: subject.completion != nil || shared.shared.isStopping
    )
  }

  /// Later, so that a subscription that joins and leaves at once changes nothing.
  func readersChanged() { shared.scheduleEndOfTurn() }

  func followReaders() { perform(state.followReaders(surroundings)) }

  func streamIsOpen() { perform(state.streamIsOpen(surroundings)) }

  func linkIsAway() {
    state.linkIsAway()
    pulls.forget()
    acks.giveUp()
  }

  /// Continues after the lease was confirmed on a new connection.
  func resume() { perform(state.begin(surroundings)) }

  /// Starts again at the expected value, because values may be missing.
  func renew() { perform(state.renew(surroundings)) }

  /// Handles a loss in the stream; unread lost values count as dropped.
  func streamIsLost(_ loss: StreamLoss) {
    linkIsAway()
    guard expected != nil else { return }
    // An inlet that is still closed hears of it when it opens.
    if publication != nil || loss.isWhole { miss(loss) }
    if shared.stream != nil { streamIsOpen() } else { deleteConsumers() }
  }

  private func miss(_ loss: StreamLoss) {
    let count = expected.map(loss.missed) ?? 0
    if count > 0 { dropped(count) }
  }

  /// Calls `done` when values published from then on are read.
  func whenOpen(_ done: @escaping () -> Void) {
    guard !isOpen, subject.outletCount > 0 else { return done() }
    whenOpen.add { _ in done() }
  }

  func tellOpen() { whenOpen.answer(()) }

  /// Deletes the consumer after the last subscription has left, then calls `done`.
  func close(_ done: @escaping () -> Void) {
    whenClosed.add { _ in done() }
    let isReading = state.phase == .opening || state.phase == .open
    // Subscriptions that come earlier get the kept values from the stream.
    if isReading, subject.completion == nil { subject.keepOnly(nil) }
    perform(state.close(surroundings, hasGoneOut: !acks.newest.isEmpty))
  }

  /// Stops, because the subject was removed from this server.
  func leave() {
    // No need to wait: the consumer goes with the stream.
    if generation > 0 { shared.delete(consumer: consumer) }
    perform(state.letGo())
  }

  /// Stops for the reader, keeps its consumer, and calls `done` when NATS has its position.
  func leave(_ done: @escaping () -> Void) {
    let news = shared.stream != nil && acks.hasNews ? acks.newest : nil
    perform(state.letGo())
    guard let news else { return done() }
    send(ack: news, link.expect(within: Self.second) { _ in done() })
  }

  func perform(_ steps: [InletState.Step]) { for step in steps { perform(step) } }

  private func perform(_ step: InletState.Step) {
    switch step {
    case .forgetRepetitions: repetitions.beginAnew()
    case .findPlace: shared.room.checkReaders(ifCurrent { $0.foundPlace($1) })
    case .deleteObsolete:
      deleteObsolete(ifCurrent { $0.perform($0.state.obsoleteAreDeleted($0.surroundings)) })
    case .deleteLeftBehind: shared.room.deleteLeftBehind(ifCurrent { $0.requestStream() })
    case .requestStream: requestStream()
    case .detach:
      if generation > 0 { link.detach(generation) }
      pulls.forget()
    case .beginLater(let nanoseconds):
      shared.shared.after(nanoseconds, ifCurrent { $0.resume() })
    case .close: close {}
    case .forgetWaiting: forgetWaiting()
    case .finishClosing: finishClosing()
    case .forgetAcknowledgements:
      generation = 0
      shared.room.goneOut = [:]
      acks = AckState()
    case .notifyOpen: tellOpen()
    case .notifyClosed: whenClosed.answer(())
    case .followReaders: followReaders()
    }
  }

  /// Handles the list of all consumers that the reader has had.
  private func foundPlace(_ rows: [ConsumerPage.Row]?) {
    guard state.phase == .opening, let consumers else { return }
    guard let rows else { return renew() }
    let own = rows.filter { $0.isOne(of: consumers) }
    let floor = own.map(\.floor).max().map { max($0, reader?.acknowledged ?? 0) }
    if let floor { unacknowledged = UnacknowledgedValues(from: floor) }
    state.placeIsFound(own, floor: floor, last: reader?.last ?? 0)
    requestStream()
  }

  private func requestStream() {
    let request = shared.names.info(shared.name)
    link.request(request, within: JetStream.patience, ifCurrent { $0.foundStream($1) })
  }

  private func foundStream(_ reply: NATSReply) {
    guard state.phase == .opening else { return }
    do throws(JetStreamError) {
      let stream = try StreamAnswer(reply)
      guard let expected, expected > stream.last + 1 else { return makeConsumer(stream) }
      // The stream has lost its end.
      guard shared.loss == nil else { return }
      shared.room.stored(upTo: expected - 1)
      shared.check()
      renew()
    } catch {
      if error.number == .streamNotFound { shared.check() }
      renew()
    }
  }

  private func makeConsumer(_ stream: StreamAnswer) {
    let next = start(in: stream)
    let start = startAgain(before: next)
    if stream.settings.takesNoValues { shared.streamHasEnded() }
    // Values requested by the old consumer may still come on this connection.
    if generation > 0 { link.detach(generation) }
    state.replaceConsumer()
    generation = shared.shared.nextGeneration()
    link.attach(self, generation)
    state.consumerIsWanted(consumer, at: next)
    pulls.hear(now)
    let beginsWithInitial = next > stream.last && !state.wasElsewhere || state.hadInitial
    if beginsWithInitial, reader?.holdsUp == true, case .current = shared.settings.kind {
      state.hadInitial = true
    }
    let settings = ConsumerSettings(
      start: start,
      acknowledges: acknowledges,
      threshold: consumers == nil ? threshold : nil,
      server: shared.engine.place,
      isInitial: state.hadInitial
    )
    link.request(
      shared.names.create(consumer: consumer, of: shared.name, settings),
      within: 3 * JetStream.patience,
      ifCurrent { inlet, reply in
        guard inlet.state.phase == .opening else { return }
        guard JetStreamError(reply) == nil else { return inlet.renew() }
        inlet.opened(beginsWithInitial)
      }
    )
  }

  /// Returns the first sequence to read.
  private func start(in stream: StreamAnswer) -> UInt64 {
    if let expected { return expected }
    // Without any reader, values wait for the first one.
    if shared.isLossless, !shared.hasReaders(stream) { return stream.first }
    let end = stream.settings.endMessages
    let kept = isPast(stream) ? end : UInt64(shared.settings.keptCount) + end
    return max(stream.first, stream.last + 1 - min(kept, stream.last))
  }

  /// Whether subscriptions only get the end, as with a completed `current` subject.
  private func isPast(_ stream: StreamAnswer) -> Bool {
    guard case .current = shared.settings.kind, consumers == nil else { return false }
    return stream.settings.takesNoValues
  }

  /// Returns where to read again after a restart.
  ///
  /// The reader's unacknowledged values come again and are not delivered, so that a later server
  /// knows them.
  private func startAgain(before next: UInt64) -> UInt64 {
    state.again = 0
    guard reader?.acknowledges == true else { return next }
    var known = unacknowledged ?? UnacknowledgedValues(from: next - 1)
    known.readAgain()
    unacknowledged = known
    let start = min(next, known.floor + 1)
    state.again = next - start
    return start
  }

  private func opened(_ beginsWithInitial: Bool) {
    state.consumerIsMade()
    pulls.begin(now)
    acks.begin()
    tellOpen()
    if publication == nil {
      makePublication()
      if case .current(let value) = shared.settings.kind, beginsWithInitial {
        begin(with: value)
      }
      if let loss = shared.loss { miss(loss) }
    }
    deleteObsolete {}
    watch()
    shared.scheduleEndOfTurn()
  }

  private func makePublication() {
    let publication = Publication(
      id: 0,
      subject: subject,
      owner: self,
      limit: Self.most,
      over: .hold,
      ownsSubject: false
    )
    self.publication = publication
    subject.add(publication)
    _ = publication.firstGrant()
  }

  /// Publishes the initial value of a subject.
  private func begin(with value: [UInt8]) {
    guard consumers != nil else { return subject.keepOnly(value) }
    let outcome = unsafe value.withUnsafeBytes { unsafe publication?.publish($0) }
    if case .held? = outcome {
      backlog.waiting.append((0, []))
    } else if let reader, reader.holdsUp {
      reader.handed(0)
    }
  }

  /// The most values requested at a time.
  private static let most = 4096

  func pull(_ request: JetStreamRequest) { link.pull(request, generation) }

  func deleteConsumers() { perform(state.deleteConsumers(surroundings)) }
}
