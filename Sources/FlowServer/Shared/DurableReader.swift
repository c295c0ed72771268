internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// A durable subscription while a client of this server has it: it goes on where it was, on whatever
/// server that was.
///
/// A lease says who has it. Each value is acknowledged when the client asks for another; what was not
/// acknowledged comes again to whoever has it next.
final class DurableReader: InletReader, DurableSubscription {
  let name: String
  private let shared: SharedSubject
  /// What the stream of the client reads.
  let subject: ServerSubject
  private lazy var lease = makeLease()
  private var inlet: Inlet?
  /// Whether only what came before the end is still to be acknowledged.
  var hasEnded: Bool { subject.completion != nil }
  /// Values that the stream has and that are not acknowledged.
  private var given = Fifo<UInt64>()
  private(set) var last: UInt64 = 0
  private(set) var acknowledged: UInt64 = 0
  private var isOver = false
  private var whenOpen: ((DefinitionError?) -> Void)?
  /// Whether it is still to be said whether it can be had.
  var isOpening: Bool { whenOpen != nil }
  /// Called when the client has it no more.
  var whenOver: (() -> Void)?

  init(_ name: String, of shared: SharedSubject) {
    self.name = name
    self.shared = shared
    var settings = shared.settings
    settings.kind = .passthrough
    settings.flow = .slowest
    subject = ServerSubject(name: shared.name, settings: settings, host: shared.engine)
    subject.backend = shared
    shared.durables[name] = self
    subject.whenReadersChange = { [weak self] in self?.readersChanged() }
  }

  static func consumers(of name: String) -> String { "d-\(name)-" }

  /// What its lease is called, which no run is.
  static func lease(of name: String, at subject: String) -> String { "d.\(subject).\(name)" }

  var consumers: String { Self.consumers(of: name) }
  var isHeld: Bool { lease.isHeld }
  var acknowledges: Bool { true }
  var holdsUp: Bool { true }
  var takesAtOnce: Bool { false }
  var room: Int { Self.mostGiven - given.count }

  /// How many values may be with the client and not acknowledged.
  private static let mostGiven = 16_384

  private func makeLease() -> Lease {
    Lease(
      Self.lease(of: name, at: shared.name),
      in: shared.shared,
      isElsewhere: { [weak self] in self?.isElsewhere() },
      { [weak self] in self?.leaseChanged($0) }
    )
  }

  /// Why nobody else can have it.
  var inUse: DefinitionError { Self.inUse(name, shared) }

  static func inUse(_ name: String, _ shared: SharedSubject) -> DefinitionError {
    let text = "another client has the durable subscription \(name) of \(shared.name)"
    return DefinitionError(.exists, text)
  }

  /// Begins to read; `done` is called when it does, or with the reason why it cannot.
  func start(_ done: @escaping (DefinitionError?) -> Void) {
    whenOpen = done
    lease.start()
  }

  private func tellOpen(_ error: DefinitionError?) { whenOpen.take()?(error) }

  // MARK: The lease

  func linkIsUp() { lease.linkIsUp() }

  private func leaseChanged(_ isHeld: Bool) {
    if isHeld { begin() } else { suspend() }
  }

  private func begin() {
    if let inlet { return inlet.resume() }
    guard !isOver else { return }
    let inlet = Inlet(shared, into: subject, for: self)
    self.inlet = inlet
    shared.add(inlet)
    // It is also called when that is given up.
    inlet.whenOpen { [weak self, weak inlet] in
      if inlet?.isOpen == true { self?.tellOpen(nil) }
    }
    shared.scheduleEndOfTurn()
  }

  /// Another server may have it now.
  private func suspend() { letGo {} }

  private func isElsewhere() {
    guard !isOver, !isHeld else { return }
    guard !isOpening else { return tellOpen(inUse) }
    let text = "NATS was away, and \(inUse.message) now"
    subject.forEachOutlet { subject.fail($0, PipelineFailure(.away, text)) }
  }

  // MARK: Values

  func comes(_ sequence: UInt64, _ count: Int) {}

  func handed(_ sequence: UInt64) {
    last = max(last, sequence)
    given.append(sequence)
  }

  /// The client needs the `count` oldest values no more that it was sent; `unsent` values are still to
  /// be.
  func acknowledge(_ count: UInt64, unsent: Int) {
    let most = min(count, UInt64(max(0, given.count - unsent)))
    var newest: UInt64?
    for _ in 0..<most { newest = given.popFirst() }
    if let newest {
      acknowledged = max(acknowledged, newest)
      inlet?.acknowledge(upTo: newest)
    }
    shared.scheduleEndOfTurn()
    leaveIfEnded()
  }

  // MARK: The end

  /// The stream of the client is gone.
  private func readersChanged() {
    guard subject.outletCount == 0, !isOver else { return }
    if hasEnded { leaveIfEnded() } else { leave() }
  }

  /// The end has been read, and all before it is acknowledged: nothing is left to be said.
  private func leaveIfEnded() {
    if hasEnded, given.isEmpty { leave() }
  }

  /// The client has it no more: what it has not acknowledged comes again.
  func leave() {
    guard end() else { return }
    // The stream is just leaving the subject, which is not to be changed meanwhile.
    let all = shared.shared
    all.isLeaving(true)
    shared.engine.nextTurn { [self] in
      tellOpen(givenUp)
      letGo { [lease] in
        lease.stop()
        all.isLeaving(false)
      }
    }
  }

  private var givenUp: DefinitionError {
    let text = "the durable subscription \(name) of \(shared.name) was given up before NATS had it"
    return DefinitionError(.away, text)
  }

  /// The server stops.
  func stop() {
    guard end() else { return }
    tellOpen(givenUp)
    letGo {}
    lease.stop()
  }

  func subjectIsDeleted() {
    tellOpen(DefinitionError(.unknownName, "subject \(shared.name) was deleted"))
    subject.delete()
    leave()
  }

  private func end() -> Bool {
    guard !isOver else { return false }
    isOver = true
    if shared.durables[name] === self { shared.durables[name] = nil }
    whenOver.take()?()
    shared.engine.releaseLater(self)
    return true
  }

  /// Stops reading; `done` is called when NATS has heard what is acknowledged.
  private func letGo(_ done: @escaping () -> Void) {
    guard let inlet = inlet.take() else { return done() }
    shared.remove(inlet)
    inlet.leave(done)
    shared.engine.releaseLater(inlet)
  }
}
