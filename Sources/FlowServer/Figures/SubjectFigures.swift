internal import FlowSubjects
internal import FlowWire

/// The live figures of a subject: of one in NATS with what comes in here, and what runs and durable
/// subscriptions read for themselves.
struct SubjectFigures {
  let subscriptions: Int
  /// Subscriptions without room for a value.
  let starved: Int
  let publications: Int
  let published: Int
  let delivered: Int
  let missed: Int
  /// Values that wait for room.
  let waiting: Int
  /// How long the slowest subscription has held up values that wait, in nanoseconds.
  let longestStall: Int64
  let bytes: Int
  let forgotten: Int
  /// How long values took that were followed, while somebody watches.
  let times: DeliveryTimes?

  fileprivate init(_ subject: ServerSubject, in engine: Engine) {
    let parts = engine.readable(subject)
    let shared = engine.sharedSubject(of: subject)
    let entrance = shared?.entrance ?? subject
    let before = shared?.readBefore ?? (delivered: 0, missed: 0)
    subscriptions = parts.reduce(0) { $0 + $1.outletCount }
    starved = parts.reduce(0) { $0 + $1.starved }
    publications = entrance.publications.count
    published = subject.published
    delivered = parts.reduce(before.delivered) { $0 + $1.delivered }
    missed = parts.reduce(before.missed) { $0 + $1.missed }
    let outside = shared.map { $0.entrance.waitingCount + $0.outbox.count } ?? 0
    waiting = subject.waitingCount + outside
    longestStall = parts.reduce(0) { max($0, $1.longestStall) }
    bytes = subject.bytes
    forgotten = subject.forgotten
    times = engine.watch.subjects[subject.name]?.arrivals.times
  }
}

extension Engine {
  func figures(of subject: ServerSubject) -> SubjectFigures { SubjectFigures(subject, in: self) }

  /// What joins a subject to NATS, if it lives there.
  func sharedSubject(of subject: ServerSubject) -> SharedSubject? {
    subject.settings.nats == nil ? nil : shared?[subject.name]
  }

  /// The live figures of a subject, as rows tell them.
  func fields(of subject: ServerSubject) -> RowFields {
    Figures.listedSubjects.fields(of: figures(of: subject))
      + (sharedSubject(of: subject).map { Figures.stored.fields(of: $0) } ?? [:])
  }
}
