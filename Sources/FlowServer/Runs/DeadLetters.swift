internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// Sends the values that a run has no answer for to a subject, each with its stage and the reason.
///
/// Nothing waits for the subject: what it has no room for waits with its publication, as many as a grant
/// may be, and is lost beyond that.
final class DeadLetters: PublicationOwner {
  private let subject: String
  private unowned let run: Run
  private var publication: Publication?

  init(to subject: String, of run: Run) {
    self.subject = subject
    self.run = run
  }

  /// Sends a letter; in a later turn if runs in a row would recurse.
  func send(_ leftOut: LeftOut) {
    guard run.isTooDeep else { return deliver(leftOut) }
    run.engine.nextTurn { [weak self] in self?.deliver(leftOut) }
  }

  private func deliver(_ leftOut: LeftOut) {
    guard let publication = publication ?? publish() else { return }
    let most = run.engine.configuration.valueLimit
    let whole = leftOut.letter()
    let isTooLong = unsafe whole.withBytes { $0.count > most }
    let letter = isTooLong ? leftOut.letter(cut: true) : whole
    run.deeper {
      unsafe letter.withBytes { bytes in
        if bytes.count <= most { _ = unsafe publication.publish(bytes) }
      }
    }
    if !run.isRunning { leave() }
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
    let old = publication
    publication = nil
    old?.endQuietly()
  }

  // MARK: PublicationOwner

  var account: Account? { nil }

  func publication(_ publication: Publication, isGranted count: Int) {}

  func publication(_ publication: Publication, dropped count: Int) {}

  func publication(_ publication: Publication, isCancelledFor reason: ErrorCode) {
    forget(publication)
  }

  func publicationHasCredit(_ publication: Publication) {}

  func forget(_ publication: Publication) {
    if self.publication === publication { self.publication = nil }
  }
}
