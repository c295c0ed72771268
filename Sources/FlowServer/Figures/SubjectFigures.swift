internal import FlowSubjects
internal import FlowWire

/// A subject's live figures; with a backend, including its intake and parts.
struct SubjectFigures {
  let subscriptions: Int
  /// Subscriptions without credit.
  let starved: Int
  let publications: Int
  let published: Int
  let delivered: Int
  let missed: Int
  let waiting: Int
  /// How long the slowest subscription has held up values, in nanoseconds.
  let longestStall: Int64
  let bytes: Int
  let forgotten: Int
  /// How long sampled values took; only while a watch runs.
  let times: DeliveryTimes?

  fileprivate init(_ subject: ServerSubject, in engine: Engine) {
    let parts = subject.readable
    let figures = subject.backend?.figures ?? BackendFigures()
    let before = figures.readBefore
    subscriptions = parts.reduce(0) { $0 + $1.outletCount }
    starved = parts.reduce(0) { $0 + $1.withoutCredit }
    publications = subject.intake.publications.count
    published = subject.published
    delivered = parts.reduce(before.delivered) { $0 + $1.delivered }
    missed = parts.reduce(before.missed) { $0 + $1.missed }
    waiting = subject.waitingInAll + figures.unstored
    longestStall = parts.reduce(0) { max($0, $1.longestStall) }
    bytes = subject.bytes
    forgotten = subject.forgotten
    times = engine.watch.subjects[subject.name]?.arrivals.times
  }
}

extension Engine {
  func figures(of subject: ServerSubject) -> SubjectFigures { SubjectFigures(subject, in: self) }

  /// The live figures for rows.
  func fields(of subject: ServerSubject) -> RowFields {
    let fields = Figures.listedSubjects.fields(of: figures(of: subject))
    guard let backend = subject.backend else { return fields }
    return fields + backend.figures.fields(of: backend)
  }
}

extension BackendFigures {
  /// The figures of `backend` for rows.
  fileprivate func fields(of backend: any SubjectBackend) -> RowFields {
    let word: RowFields = [backend.kind: state]
    return Figures.backendRoom.fields(of: self) + word + Figures.backendLosses.fields(of: self)
  }
}
