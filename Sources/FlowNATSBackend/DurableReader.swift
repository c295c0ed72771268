internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

/// A durable subscription that a client of this server reads.
///
/// It continues where it last was, on any server. A lease makes the reader unique. A value is
/// acknowledged when the client requests another one; unacknowledged values are delivered again to
/// the next reader.
final class DurableReader: InletReader, DurableSubscription {
  private enum Phase {
    case new
    /// The client waits for the answer to SUB.
    case opening((DefinitionError?) -> Void)
    case answered
    case over
  }

  let name: String
  private let shared: SharedSubject
  let subject: ServerSubject
  private lazy var lease = makeLease()
  private var inlet: Inlet?
  /// Whether only acknowledgements are still to come.
  var hasEnded: Bool { subject.completion != nil }
  /// Unacknowledged values of the client.
  private var given = Fifo<UInt64>()
  private(set) var last: UInt64 = 0
  private(set) var acknowledged: UInt64 = 0
  private var phase = Phase.new
  var isOpening: Bool { if case .opening = phase { true } else { false } }
  private var isOver: Bool { if case .over = phase { true } else { false } }
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

  /// The lease's name, which differs from those of runs.
  static func lease(of name: String, at subject: String) -> String { "d.\(subject).\(name)" }

  var consumers: String { Self.consumers(of: name) }
  var isHeld: Bool { lease.isHeld }
  var acknowledges: Bool { true }
  var holdsUp: Bool { true }
  var takesAtOnce: Bool { false }
  var room: Int { Self.mostGiven - given.count }

  /// How many unacknowledged values the client may have.
  private static let mostGiven = 16_384

  private func makeLease() -> Lease {
    Lease(
      Self.lease(of: name, at: shared.name),
      in: shared.shared,
      isElsewhere: { [weak self] in self?.isElsewhere() },
      { [weak self] in self?.leaseChanged($0) }
    )
  }

  /// The error for a second reader.
  var inUse: DefinitionError { Self.inUse(name, shared) }

  static func inUse(_ name: String, _ shared: SharedSubject) -> DefinitionError {
    let text = "another client has the durable subscription \(name) of \(shared.name)"
    return DefinitionError(.exists, text)
  }

  func start(_ done: @escaping (DefinitionError?) -> Void) {
    phase = .opening(done)
    lease.start()
  }

  /// Answers the client, unless that was done before.
  private func answer(_ error: DefinitionError?) {
    guard case .opening(let done) = phase else { return }
    phase = .answered
    done(error)
  }

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
    // It is also called when the inlet is given up.
    inlet.whenOpen { [weak self, weak inlet] in
      if inlet?.isOpen == true { self?.answer(nil) }
    }
    shared.scheduleEndOfTurn()
  }

  /// Stops, because another server may have the lease now.
  private func suspend() { letGo {} }

  private func isElsewhere() {
    guard !isOver, !isHeld else { return }
    guard !isOpening else { return answer(inUse) }
    let text = "NATS was away, and \(inUse.message) now"
    subject.forEachOutlet { subject.fail($0, PipelineFailure(.away, text)) }
  }

  func comes(_ sequence: UInt64, _ count: Int) {}

  func handed(_ sequence: UInt64) {
    last = max(last, sequence)
    given.append(sequence)
  }

  /// Acknowledges the `count` oldest values of the client, of which `unsent` are not written yet.
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

  /// Leaves when the client's stream is gone.
  private func readersChanged() {
    guard subject.outletCount == 0, !isOver else { return }
    if hasEnded { leaveIfEnded() } else { leave() }
  }

  /// Leaves when the end was read and every value is acknowledged.
  private func leaveIfEnded() {
    if hasEnded, given.isEmpty { leave() }
  }

  func leave() {
    guard let answer = end() else { return }
    // Later, because the stream is just leaving the subject.
    let all = shared.shared
    all.isLeaving(true)
    shared.engine.nextTurn { [self] in
      answer(givenUp)
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

  func stop() {
    guard let answer = end() else { return }
    answer(givenUp)
    letGo {}
    lease.stop()
  }

  func subjectIsDeleted() {
    answer(DefinitionError(.unknownName, "subject \(shared.name) was deleted"))
    subject.delete()
    leave()
  }

  /// Ends it for this client; returns what answers the client if it still waits, and nil if it has
  /// ended before.
  private func end() -> ((DefinitionError?) -> Void)? {
    guard !isOver else { return nil }
    var answer: (DefinitionError?) -> Void = { _ in }
    if case .opening(let done) = phase { answer = done }
    phase = .over
    if shared.durables[name] === self { shared.durables[name] = nil }
    whenOver.take()?()
    shared.engine.releaseLater(self)
    return answer
  }

  /// Stops reading, then calls `done` when NATS has the acknowledgements.
  private func letGo(_ done: @escaping () -> Void) {
    guard let inlet = inlet.take() else { return done() }
    shared.remove(inlet)
    inlet.leave(done)
    shared.engine.releaseLater(inlet)
  }
}
