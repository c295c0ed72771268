internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// Reads the stream of a shared subject, and publishes what it reads to the subscriptions here, or to
/// a reader of its own.
///
/// It reads while there is a subscription. It asks NATS for as many values as the subject grants a publication,
/// through a consumer whose name counts on: whenever something may be missing, a new one begins at the value that is
/// expected next. So nothing is missed, and nothing comes twice.
final class Inlet: Retrying {
  // memory 3
  @safe unowned(unsafe) let shared: SharedSubject
  /// Where what is read goes.
  let subject: ServerSubject
  /// For whom it reads, if not for the subscriptions of this server.
  private(set) weak var reader: (any InletReader)?
  /// The start of the names of all consumers that the reader has had.
  let consumers: String?
  var state = InletState()
  var retry: Retry { state.retry }
  /// The number of the present consumer, 0 if there is none.
  private var generation: UInt64 = 0
  var publication: Publication?
  var pulls = PullState()
  var acks = AckState()
  /// Values that the reader has, and those that it has not acknowledged, if it says so.
  var unacknowledged: UnacknowledgedValues?
  var backlog = InletBacklog()
  /// Whether a later turn is asked for, to hand on values.
  var isPaced = false
  var isWatching = false
  var lastSweep: Int64 = 0
  private let whenOpen = Waiters<Void>()
  let whenClosed = Waiters<Void>()
  var repetitions = Repetitions()
  /// Values that were gone before they were read.
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
  /// The place of the value that comes next, once that is known.
  var expected: UInt64? { state.expected }
  var outstanding: Int { pulls.outstanding }
  var isClosed: Bool { state.phase == .closed }
  /// Whether what is published now is read.
  var isOpen: Bool { state.phase == .open || subject.completion != nil }
  /// Values that went to nobody: repetitions, and those that are longer than the server allows.
  var leftOut: Int { repetitions.count + tooLong }

  /// Whether values are acknowledged: those of a reader are, so that it is known where it was.
  var acknowledges: Bool { shared.isLossless || consumers != nil }

  /// How long NATS keeps a consumer that nobody asks, in nanoseconds.
  var threshold: Int64 { max(subject.stall, 30_000_000_000) }

  /// The name of the present consumer.
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

  // MARK: Events

  /// Those who came and left in one turn change nothing; what the last one took is acknowledged.
  func readersChanged() { shared.scheduleEndOfTurn() }

  func followReaders() { perform(state.followReaders(surroundings)) }

  func streamIsOpen() { perform(state.streamIsOpen(surroundings)) }

  func linkIsAway() {
    state.linkIsAway()
    pulls.forget()
    acks.giveUp()
  }

  /// Goes on reading after the reader's lease was confirmed on a new connection.
  func resume() { perform(state.begin(surroundings)) }

  /// Begins anew at the expected value, since something may be missing.
  func renew() { perform(state.renew(surroundings)) }

  /// NATS has lost values of the stream; counts those that were not read here as dropped.
  func streamIsLost(_ loss: StreamLoss) {
    linkIsAway()
    guard expected != nil else { return }
    // One that is still to open is told then.
    if publication != nil || loss.isWhole { miss(loss) }
    if shared.stream != nil { streamIsOpen() }
  }

  private func miss(_ loss: StreamLoss) {
    let count = expected.map(loss.missed) ?? 0
    if count > 0 { dropped(count) }
  }

  /// Calls `done` when what is published from then on is read.
  func whenOpen(_ done: @escaping () -> Void) {
    guard !isOpen, subject.outletCount > 0 else { return done() }
    whenOpen.add { _ in done() }
  }

  /// Answers those that wait for it to be open.
  func tellOpen() { whenOpen.answer(()) }

  /// Has the consumer deleted, since the last subscription has left; `done` is called then.
  func close(_ done: @escaping () -> Void) {
    whenClosed.add { _ in done() }
    let isReading = state.phase == .opening || state.phase == .open
    // Whoever comes before it is closed reads what is kept from the stream, as all do.
    if isReading, subject.completion == nil { subject.keepOnly(nil) }
    perform(state.close(surroundings, hasGoneOut: !acks.newest.isEmpty))
  }

  /// The subject is no longer this server's.
  func leave() {
    // Nobody waits for the answer: with the stream the consumer is gone anyway.
    if generation > 0 { shared.delete(consumer: consumer) }
    perform(state.letGo())
  }

  /// The reader is no longer here, and its consumer stays where it is; calls `done` when NATS has heard
  /// where that is.
  func leave(_ done: @escaping () -> Void) {
    let news = shared.stream != nil && acks.hasNews ? acks.newest : nil
    perform(state.letGo())
    guard let news else { return done() }
    send(ack: news, link.expect(within: Self.second) { _ in done() })
  }

  // MARK: Steps

  func perform(_ steps: [InletState.Step]) { for step in steps { perform(step) } }

  private func perform(_ step: InletState.Step) {
    switch step {
    case .forgetRepetitions: repetitions.beginAnew()
    case .findPlace: shared.room.look(ifCurrent { $0.foundPlace($1) })
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

  /// The consumers that the reader has had, on this server or another one, were listed.
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
      // NATS has lost the end of the stream.
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
    if stream.settings.takesNoValues { shared.hasEnded() }
    // What the former consumer was asked for on a connection that is no more may come on this one.
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
      server: shared.engine.clients.place,
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

  /// Where to begin to read.
  private func start(in stream: StreamAnswer) -> UInt64 {
    if let expected { return expected }
    // What nobody holds waits for the first that comes.
    if shared.isLossless, !shared.hasReaders(stream) { return stream.first }
    let end = stream.settings.endMessages
    let kept = isPast(stream) ? end : UInt64(shared.settings.keptCount) + end
    return max(stream.first, stream.last + 1 - min(kept, stream.last))
  }

  /// Whether subscriptions are only told the end, as those of a subject `current` that has completed.
  private func isPast(_ stream: StreamAnswer) -> Bool {
    guard case .current = shared.settings.kind, consumers == nil else { return false }
    return stream.settings.takesNoValues
  }

  /// Where to begin to read anew, so that a server that goes on after this one knows what was not
  /// acknowledged: what the reader has comes again, and is not handed on.
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

  /// What a subject has before any value was sent.
  private func begin(with value: [UInt8]) {
    guard consumers != nil else { return subject.keepOnly(value) }
    let outcome = unsafe value.withUnsafeBytes { unsafe publication?.publish($0) }
    if case .held? = outcome {
      backlog.waiting.append((0, []))
    } else if let reader, reader.holdsUp {
      reader.handed(0)
    }
  }

  /// The most values that are asked for at a time.
  private static let most = 4096

  func pull(_ request: JetStreamRequest) { link.pull(request, generation) }

  func deleteConsumers() { perform(state.deleteConsumers(surroundings)) }
}
