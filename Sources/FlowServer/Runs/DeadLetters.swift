internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// Sends the values that a run has no answer for to a subject, each with its stage and the reason.
///
/// The letters of an exact run are stored as its outputs are. Otherwise nothing waits for the subject: what
/// it has no room for waits with the publication, as many as a grant may be; what is lost beyond that is
/// counted and logged.
final class DeadLetters: PublicationOwner {
  private let subject: String
  private unowned let run: Run
  private var publication: Publication?
  /// The last publication that was left, of which some letters may not be stored.
  private var left: Publication?
  /// How many letters wait for a later turn.
  private var late = 0
  /// How many letters the subject did not take.
  private(set) var lost = 0

  init(to subject: String, of run: Run) {
    self.subject = subject
    self.run = run
  }

  /// Whether no letter waits to be sent or stored.
  var isQuiet: Bool {
    guard late == 0, left.map({ $0.isOpen || $0.unkept > 0 }) != true else { return false }
    return publication.map { $0.held + $0.unkept } ?? 0 == 0
  }

  /// The memory of letters that wait.
  var bytes: Int { publication?.bytes ?? 0 }

  /// Sends a letter; in a later turn if runs in a row would recurse.
  func send(_ leftOut: LeftOut) {
    if run.isExact, let backend = run.backend { return backend.store(leftOut, at: subject) }
    guard run.isTooDeep else { return deliver(leftOut) }
    late += 1
    run.engine.nextTurn { [weak self] in
      self?.late -= 1
      self?.deliver(leftOut)
    }
  }

  private func deliver(_ leftOut: LeftOut) {
    let letter = leftOut.letter(atMost: run.engine.configuration.valueLimit)
    guard let letter, let publication = publication ?? publish() else {
      return lose(1, "\(subject) does not take a dead letter of \(leftOut.stage)")
    }
    let outcome = run.deeper { unsafe letter.withBytes { unsafe publication.publish($0) } }
    if case .full = outcome {
      lose(1, "\(subject) has no room for a dead letter of \(leftOut.stage)")
    }
    if !run.isRunning { leave() }
  }

  private func lose(_ count: Int, _ text: String) {
    lost += count
    run.warn("letter-lost", text)
  }

  /// Begins to publish to the subject, if there is one now.
  private func publish() -> Publication? {
    let engine = run.engine
    guard let target = engine.registry.subject(subject) else { return nil }
    let intake = target.intake
    guard target.completion == nil, !intake.takesNoMore else { return nil }
    let new = Publication(
      id: 0,
      subject: intake,
      owner: self,
      limit: engine.configuration.demand.grant,
      over: .hold,
      ownsSubject: false
    )
    publication = new
    intake.add(new)
    return new
  }

  /// Sends no more; what waits still goes out.
  func leave() {
    guard let old = publication else { return }
    publication = nil
    left = old
    old.endQuietly()
  }

  // MARK: PublicationOwner

  var account: Account? { nil }

  func publication(_ publication: Publication, isGranted count: Int) {}

  func publication(_ publication: Publication, dropped count: Int) {}

  func publication(_ publication: Publication, isCancelledFor reason: ErrorCode) {
    if reason == .away { run.warnUnsure(of: publication.subject) }
    // What a subject that takes no more still holds goes out before it completes.
    let goesOut = reason == .completed && publication.subject.completion == nil
    let held = goesOut ? 0 : publication.held
    if held > 0 { lose(held, "\(subject) has dropped \(held) dead letters that waited for room") }
    forget(publication)
  }

  func publicationHasCredit(_ publication: Publication) {}

  func forget(_ publication: Publication) {
    if self.publication === publication { self.publication = nil }
  }
}
