internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// Reads the stream of a shared subject, and publishes what it reads to the subscriptions here, or to
/// a reader of its own.
///
/// It is there while there is a subscription. It asks NATS for as many values as the subject grants a
/// publication, through a consumer whose name counts on: whenever something may be missing, a new
/// one begins at the value that is expected next. So nothing is missed, and nothing comes twice.
final class Inlet {
  // memory 3
  @safe unowned(unsafe) let shared: SharedSubject
  /// Where what is read goes.
  let subject: ServerSubject
  /// For whom it reads, if not for the subscriptions of this server.
  private(set) weak var reader: (any InletReader)?
  /// What the names of consumers begin with that the reader has had.
  let consumers: String?
  /// What the reader has and has not acknowledged, if it says so.
  var unacknowledged: UnacknowledgedValues?
  /// How many values are to come again, of which the reader has had all.
  var again: UInt64 = 0

  enum State {
    case closed
    /// There are subscriptions, and a consumer is being made.
    case opening
    case open
    /// The last subscription has left, and the consumer is being deleted.
    case closing
  }

  var state = State.closed {
    didSet { if oldValue == .open { isNew = false } }
  }
  var publication: Publication?
  /// The consumer that is asked, or being made.
  var generation: UInt64 = 0
  /// Counts what was begun, so that what comes late is known as such.
  var attempt = 0
  /// The place of the value that comes next, once that is known.
  var expected: UInt64?
  var isFirst = true
  /// Whether no consumer of it was there before the present one.
  ///
  /// What is purged before that is made is nothing that was to be read here.
  var isNew = false
  /// Whether the reader was on another server, or here before.
  var wasElsewhere = false
  /// Whether the reader was given what the subject had before any value was sent, and has acknowledged
  /// nothing since: it comes again, since NATS keeps no place for it.
  private var hadInitial = false
  var lastSweep: Int64 = 0
  /// Values asked for that have not come.
  var outstanding = 0
  /// Pulls since nothing was outstanding.
  var pulls = 0
  var lastHeard: Int64 = 0
  var lastPull: Int64 = 0
  var isWatching = false
  var backoff = Backoff(20_000_000, 1_000_000_000)
  /// Consumers that may still be there and are not to be.
  var obsolete: Set<String> = []
  var repetitions = Repetitions()
  /// Values that found the publication full, or are for a later turn.
  var overflow = Fifo<[UInt8]>()
  /// Whether a later turn is asked for, to hand them on.
  var isPaced = false
  /// The values that wait for room with a subscription, and where they are acknowledged.
  var waiting = Fifo<(sequence: UInt64, ack: [UInt8])>()
  /// Where the value is acknowledged that came behind them and goes to nobody.
  var lastLeftOut: [UInt8]?
  /// Where the last value that went out is acknowledged.
  var newest: [UInt8] = []
  var hasNews = false
  var ackSince: Int64?
  private var whenOpen: [() -> Void] = []
  var whenClosed: [() -> Void] = []
  /// How the stream has ended, while values wait that came before.
  var end: ServerSubject.Completion?
  /// Since when nobody here has had room while something waits.
  var laggingSince: Int64?

  var isClosed: Bool { state == .closed }
  /// Whether what is published now is read.
  var isOpen: Bool { state == .open || subject.completion != nil }

  /// Values that were gone before they were read.
  var gaps = 0
  var tooLong = 0
  /// Values that went to nobody: repetitions, and those that are longer than the server allows.
  var leftOut: Int { repetitions.count + tooLong }

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

  /// Whether values are acknowledged: those of a reader are, so that it is known where it was.
  var acknowledges: Bool { shared.isLossless || consumers != nil }

  /// How long NATS keeps a consumer that nobody asks, in nanoseconds.
  var threshold: Int64 { max(subject.stall, 30_000_000_000) }

  func consumer(_ generation: UInt64) -> String {
    consumers.map { "\($0)\(link.epoch)-\(generation)" } ?? link.consumerName(generation)
  }

  // MARK: Opening

  /// Those who came and left in one turn change nothing; what the last one took is acknowledged.
  func readersChanged() { shared.scheduleEndOfTurn() }

  func followReaders() {
    switch state {
    case .closed: if subject.outletCount > 0 { open() } else { tellOpen() }
    case .opening, .open:
      guard consumers == nil else { return }
      if subject.outletCount == 0 { close {} } else { tellClosed() }
    case .closing: break
    }
  }

  /// Calls `done` when what is published from then on is read.
  func whenOpen(_ done: @escaping () -> Void) {
    if case .open = state { return done() }
    if subject.completion != nil || subject.outletCount == 0 { return done() }
    whenOpen.append(done)
  }

  /// Lets those go on who wait for it to be open.
  func tellOpen() {
    let told = whenOpen
    whenOpen.removeAll()
    for done in told { done() }
  }

  func streamIsOpen() {
    switch state {
    case .closed: if subject.outletCount > 0 { open() } else { deleteObsolete() }
    case .opening: begin()
    case .open: renew()
    case .closing: if shared.isLossless { finishClosing() } else { deleteConsumers() }
    }
  }

  func linkIsAway() {
    attempt += 1
    outstanding = 0
    pulls = 0
    ackSince = nil
    if case .open = state { state = .opening }
  }

  /// Goes on reading after the reader's lease was confirmed on a new connection.
  func resume() { if case .opening = state { begin() } }

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

  func open() {
    guard case .closed = state, subject.completion == nil, !shared.shared.isStopping else { return }
    state = .opening
    begin()
  }

  /// Begins anew at the expected value, since something may be missing.
  func renew() {
    guard subject.outletCount > 0 else { return }
    state = .opening
    attempt += 1
    let attempt = attempt
    link.detach(generation)
    obsolete.insert(consumer(generation))
    outstanding = 0
    pulls = 0
    shared.shared.after(backoff.next()) { [weak self] in
      if let self, self.attempt == attempt { begin() }
    }
  }

  private func begin() {
    guard case .opening = state, shared.stream != nil else { return }
    attempt += 1
    let attempt = attempt
    if expected == nil { repetitions.beginAnew() }
    if let consumers {
      guard reader?.isHeld == true else { return }
      if expected == nil { return findPlace(consumers) }
    }
    if expected == nil, !obsolete.isEmpty {
      // One that was left behind would be taken for somebody's who holds what is there.
      return deleteObsolete { [weak self] in
        if let self, self.attempt == attempt { begin() }
      }
    }
    guard expected == nil, consumers == nil else { return look(attempt) }
    shared.room.deleteLeftBehind { [weak self] in
      if let self, self.attempt == attempt { look(attempt) }
    }
  }

  /// Looks where the reader was, on this server or another one.
  private func findPlace(_ consumers: String) {
    let attempt = attempt
    shared.room.look { [weak self] rows in
      guard let self, self.attempt == attempt, case .opening = state else { return }
      guard let rows else { return renew() }
      let own = rows.filter { $0.isOne(of: consumers) }
      obsolete.formUnion(own.map(\.name))
      if let there = own.map(\.floor).max() {
        let floor = max(there, reader?.acknowledged ?? 0)
        unacknowledged = UnacknowledgedValues(from: floor)
        expected = max(floor, reader?.last ?? 0) + 1
        wasElsewhere = true
        hadInitial = floor == 0 && own.contains(where: \.isInitial)
      }
      look(attempt)
    }
  }

  /// Looks what the stream is like, and has a consumer made.
  private func look(_ attempt: Int) {
    link.request(shared.names.info(shared.name), within: JetStream.patience) { [weak self] reply in
      guard let self, self.attempt == attempt, case .opening = state else { return }
      do throws(JetStreamError) {
        let stream = try StreamAnswer(reply)
        if let expected, expected > stream.last + 1 {
          // NATS has lost the end of the stream.
          guard shared.loss == nil else { return }
          shared.room.stored(upTo: expected - 1)
          shared.check()
          return renew()
        }
        makeConsumer(stream)
      } catch {
        if error.number == .streamNotFound { shared.check() }
        renew()
      }
    }
  }

  private func makeConsumer(_ stream: StreamAnswer) {
    let next = start(in: stream)
    if expected == nil { isNew = true }
    expected = next
    let start = startAgain(before: next)
    if stream.settings.takesNoValues { shared.hasEnded() }
    if generation > 0 {
      obsolete.insert(consumer(generation))
      // What it was asked for on a connection that is no more may come on this one.
      link.detach(generation)
    }
    generation = shared.shared.nextGeneration()
    link.attach(self, generation)
    isFirst = true
    lastHeard = now
    let beginsWithInitial = next > stream.last && !wasElsewhere || hadInitial
    if beginsWithInitial, reader?.holdsUp == true, case .current = shared.settings.kind {
      hadInitial = true
    }
    let settings = ConsumerSettings(
      start: start,
      acknowledges: acknowledges,
      threshold: consumers == nil ? threshold : nil,
      server: shared.engine.clients.place,
      isInitial: hadInitial
    )
    let name = consumer(generation)
    let attempt = attempt
    let request = shared.names.create(consumer: name, of: shared.name, settings)
    link.request(request, within: 3 * JetStream.patience) { [weak self] reply in
      guard let self, self.attempt == attempt, case .opening = state else { return }
      guard JetStreamError(reply) == nil else { return renew() }
      opened(beginsWithInitial)
    }
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
    again = 0
    guard reader?.acknowledges == true else { return next }
    var known = unacknowledged ?? UnacknowledgedValues(from: next - 1)
    known.readAgain()
    unacknowledged = known
    let start = min(next, known.floor + 1)
    again = next - start
    return start
  }

  private func opened(_ beginsWithInitial: Bool) {
    state = .open
    backoff.reset()
    lastHeard = now
    lastPull = now
    // The new consumer begins behind all that has gone out.
    hasNews = false
    ackSince = nil
    tellOpen()
    if publication == nil {
      makePublication()
      if case .current(let value) = shared.settings.kind, beginsWithInitial {
        begin(with: value)
      }
      if let loss = shared.loss { miss(loss) }
    }
    deleteObsolete()
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
      waiting.append((0, []))
    } else if let reader, reader.holdsUp {
      reader.handed(0)
    }
  }

  /// The most values that are asked for at a time.
  private static let most = 4096
}
