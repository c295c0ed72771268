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
  private var subscription: (any Subscription)?

  init(_ recorder: MarbleRecorder, into target: ServerSubject, _ run: RunDefinition, grant: Int) {
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
    if isStartedAgain, case .failure = completion {
      publication?.leave()
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
    subscription?.request(.max(count))
  }

  /// Never happens: a run sends no more than it was granted, and holds what has no room.
  func publication(_ publication: Publication, dropped count: Int) {}

  func publication(_ publication: Publication, isCancelledFor reason: ErrorCode) { cancel() }

  func publicationHasCredit(_ publication: Publication) {}

  func forget(_ publication: Publication) { self.publication = nil }
}
