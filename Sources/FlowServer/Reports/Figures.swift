internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The live figures of a subject; with a backend, those of its intake and parts too.
struct SubjectFigures {
  let name: String
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

  fileprivate init(_ subject: ServerSubject) {
    let parts = subject.readable
    let figures = subject.backend?.figures ?? BackendFigures()
    let before = figures.readBefore
    name = subject.name
    subscriptions = parts.reduce(0) { $0 + $1.outletCount }
    starved = parts.reduce(0) { $0 + $1.starved }
    publications = subject.intake.publications.count
    published = subject.published
    delivered = parts.reduce(before.delivered) { $0 + $1.delivered }
    missed = parts.reduce(before.missed) { $0 + $1.missed }
    waiting = subject.waitingInAll + figures.unstored
    longestStall = parts.reduce(0) { max($0, $1.longestStall) }
    bytes = subject.bytes
    forgotten = subject.forgotten
  }

  /// As rows tell them.
  fileprivate var fields: RowFields {
    [
      "subscriptions": subscriptions, "publications": publications, "published": published,
      "delivered": delivered, "missed": missed, "waiting": waiting,
    ]
  }
}

extension Engine {
  func figures(of subject: ServerSubject) -> SubjectFigures { SubjectFigures(subject) }

  /// The live figures of a subject, as rows tell them.
  func fields(of subject: ServerSubject) -> RowFields {
    let fields = figures(of: subject).fields
    guard let backend = subject.backend else { return fields }
    return fields + backend.figures.fields(of: backend)
  }
}

extension BackendFigures {
  /// As rows tell them.
  fileprivate func fields(of backend: any SubjectBackend) -> RowFields {
    [
      "room": room, "used": used, "slowest": stored > 0 ? slowest?.place : nil,
      backend.kind: state, "left-out": leftOut.unlessZero, "gaps": gaps.unlessZero,
    ]
  }
}

extension Int {
  /// The number for a field that is left out if it is 0.
  var unlessZero: Int? { self > 0 ? self : nil }
}

extension ClientSubscription {
  /// The live figures, as rows tell them.
  var fields: RowFields {
    let stalled = stalled.map { "\($0 / 1_000_000)ms" }
    return [
      "demand": demand, "values": values, "missed": missedInAll,
      "failed": misses?.failed.unlessZero,
      "undelivered": parkedCount.unlessZero, "stalled": stalled,
    ]
  }

  /// Whether it only looks on.
  var isTap: Bool { source.outlet?.home?.isTap ?? false }

  /// For how long it has had no demand, or not read, while something was there for it.
  var stalled: Int64? {
    guard demand == .none || isUnread else { return nil }
    let untold = misses.flatMap { demand == .none && $0.untoldCount > 0 ? $0 : nil }
    let missing = untold.map { client.engine.now - $0.since }
    return [missing, heldUp].compactMap { $0 }.max()
  }

  /// For how long a value has waited for it; inside a pipeline, since when it has had no value.
  private var heldUp: Int64? {
    if parked != nil { return client.engine.now - lastValue }
    if let outlet = source.outlet {
      return outlet.subject.flatMap { $0.unread(outlet) ?? $0.stalled(outlet) }
    }
    guard let (pipeline, counters) = running,
      pipeline.figures(ofRun: counters).contains(where: { $0.held > 0 })
    else { return nil }
    return client.engine.now - lastValue
  }

  /// How many values it has missed, with those that it would be told of next.
  var missedInAll: Int {
    let total = misses?.total ?? 0
    guard let outlet = source.outlet, let subject = outlet.subject else { return total }
    return total + subject.replaced(outlet)
  }
}

extension StageFigures {
  /// The figures, as rows tell them; what a stage seldom has only where it has some.
  var fields: RowFields {
    let demand = demand == .max ? "max" : "\(demand)"
    return [
      "in": taken, "made": made.unlessZero, "out": sent, "dropped": dropped,
      "failed": failed.unlessZero, "held": held, "consumed": consumed, "left": left.unlessZero,
      "publishers": publishers, "demand": demand,
    ]
  }
}

extension Run {
  /// The live figures, as rows show them; the counts of values only if its `inside` may be shown.
  func fields(inside: Bool) -> RowFields {
    let state =
      switch state {
      case .running where backend?.isRefused == true: "refused"
      case .running: "running"
      case .waiting: "waiting"
      case .finished: "finished"
      case .failed: "failed"
      }
    let fields: RowFields = [
      "state": state, "lease": isRunning ? backend?.place : nil,
      "resume": backend?.resume.rawValue,
    ]
    guard inside else { return fields + restartFields }
    let missed = misses.values.reduce(0, +)
    let counts: RowFields = [
      "values": values, "missed": missed, "failed": misses[.failed]?.unlessZero, "held": held,
      "demand": demand,
    ]
    return fields + counts + restartFields
  }

  /// What is told of a run that is started again.
  private var restartFields: RowFields {
    guard let restarts else { return [:] }
    var next: String?
    if case .waiting = state { next = "\(restarts.left(at: engine.now))ms" }
    return ["restarts": restarts.count, "next": next]
  }
}
