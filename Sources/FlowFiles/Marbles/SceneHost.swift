internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The subjects of a scene, in virtual time: those of a server.
final class SceneHost: SubjectHost {
  let clock: VirtualTimeScheduler
  let timeSlice = TimeSlice(limit: .max, spent: { 0 }, askForTurn: {})
  let stall: Int64
  let subjectHoldLimit = Int.max
  let inboxLimit = Int.max
  var searches = 0
  private var subjects: [String: ServerSubject] = [:]
  /// In the order of definition.
  private let names: [String]
  private var deferredReleases: [AnyObject] = []

  init(_ scene: MarbleScene, clock: VirtualTimeScheduler) {
    self.clock = clock
    stall = scene.stall
    names = scene.subjects.map(\.name)
    for (name, settings) in scene.subjects {
      subjects[name] = ServerSubject(name: name, settings: settings, host: self)
    }
  }

  func subject(_ name: String) -> ServerSubject? { subjects[name] }

  /// No subjects are made in the middle of a scene.
  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable {
    if !new { for name in names where set.contains(name) { join(name) } }
    return AnyCancellable {}
  }

  func scheduleResume(_ subject: ServerSubject) {
    clock.schedule(after: clock.now) { [weak subject] in subject?.resume() }
  }

  func releaseLater(_ object: AnyObject) {
    deferredReleases.append(object)
    guard deferredReleases.count == 1 else { return }
    clock.schedule(after: clock.now) { [weak self] in self?.deferredReleases = [] }
  }

  func keptChanged(by change: Int) {}

  func completed(_ subject: ServerSubject) {}

  func isTooSlow(_ outlet: Outlet, for subject: ServerSubject) {}

  func holdsUp(_ outlet: Outlet, for subject: ServerSubject, for nanoseconds: Int64) {}

  func deleted(_ subject: ServerSubject) {}

  /// Takes all subscriptions and publications away.
  func end() {
    for subject in subjects.values { subject.delete() }
    deferredReleases = []
  }
}

/// Sends what the row of a subject has, and the end behind what waits.
final class SceneSender: PublicationOwner {
  private var publication: Publication?

  init(_ subject: ServerSubject) {
    let publication = Publication(
      id: 0,
      subject: subject,
      owner: self,
      limit: .max,
      over: .hold,
      ownsSubject: true
    )
    self.publication = publication
    subject.add(publication)
  }

  func play(_ marble: Marble) {
    guard let publication, !publication.hasEnded else { return }
    switch marble {
    case .value(let text):
      unsafe Marble.payload(text).withBytes { _ = unsafe publication.publish($0) }
    case .finished: publication.end(.finished)
    case .failure:
      publication.end(.failure(PipelineFailure(code: "failed", message: "failed")))
    case .cancel, .demand, .absent: break
    }
  }

  var account: Account? { nil }

  func publication(_ publication: Publication, isGranted count: Int) {}

  func publication(_ publication: Publication, dropped count: Int) {}

  func publication(_ publication: Publication, isCancelledFor reason: ErrorCode) {}

  func publicationHasCredit(_ publication: Publication) {}

  func forget(_ publication: Publication) { self.publication = nil }
}
