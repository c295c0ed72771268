internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// A run of a scene: it asks for what its subject grants.
final class MarbleRun: Subscriber {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private let recorder: MarbleRecorder
  /// Whether a server would start it again, and leave its subject open until then.
  private let isStartedAgain: Bool
  private var publication: Publication?
  /// To the subject that values without an answer are sent to, if there is one.
  private var letters: Publication?
  private var subscription: (any Subscription)?

  init(
    _ recorder: MarbleRecorder,
    into target: ServerSubject,
    failed: ServerSubject?,
    _ run: RunDefinition,
    grant: Int
  ) {
    self.recorder = recorder
    isStartedAgain = run.restart != nil
    let publication = Publication(
      id: 0,
      subject: target,
      owner: self,
      limit: grant,
      over: .hold,
      ownsSubject: run.ending == .subscribe
    )
    self.publication = publication
    target.add(publication)
    guard let failed else { return }
    let letters = Publication(
      id: 0,
      subject: failed,
      owner: self,
      limit: grant,
      over: .hold,
      ownsSubject: false
    )
    self.letters = letters
    failed.add(letters)
    recorder.letters = { [weak self] in self?.send($0) }
  }

  private func send(_ leftOut: LeftOut) {
    guard let letters else { return }
    unsafe leftOut.letter(atMost: .max)?.withBytes { _ = unsafe letters.publish($0) }
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    guard let first = publication?.firstGrant(), first != .none else { return }
    subscription.request(first.max.map { .max(Int(clamping: $0)) } ?? .unlimited)
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    recorder.record(input)
    if let publication { unsafe input.withBytes { _ = unsafe publication.publish($0) } }
    return .none
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    subscription = nil
    recorder.record(completion)
    if case .failure(let failure) = completion, let failedOn = failure.failedOn { send(failedOn) }
    letters?.leave()
    if isStartedAgain, case .failure = completion {
      publication?.endQuietly()
    } else {
      publication?.end(completion)
    }
  }

  func cancel() {
    subscription?.cancel()
    subscription = nil
  }
}

extension MarbleRun: PublicationOwner {
  var account: Account? { nil }

  func publication(_ publication: Publication, isGranted count: Int) {
    if publication === self.publication { subscription?.request(.max(count)) }
  }

  /// Never happens: a run sends no more than it was granted, and holds what has no room.
  func publication(_ publication: Publication, dropped count: Int) {}

  func publication(_ publication: Publication, isCancelledFor reason: ErrorCode) {
    if publication === self.publication { cancel() }
  }

  func publicationHasCredit(_ publication: Publication) {}

  func forget(_ publication: Publication) {
    if publication === letters { letters = nil } else { self.publication = nil }
  }
}
