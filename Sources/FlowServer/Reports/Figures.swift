internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The live figures of a subject: of one in NATS with what comes in here, and what runs and durable
/// subscriptions read for themselves.
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

  fileprivate init(_ subject: ServerSubject, _ shared: SharedSubject?, _ parts: [ServerSubject]) {
    let entrance = shared?.entrance ?? subject
    let before = shared?.readBefore ?? (delivered: 0, missed: 0)
    name = subject.name
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
  }

  /// As rows tell them.
  fileprivate var text: String {
    "subscriptions=\(subscriptions) publications=\(publications) published=\(published)"
      + " delivered=\(delivered) missed=\(missed) waiting=\(waiting)"
  }
}

extension Engine {
  func figures(of subject: ServerSubject) -> SubjectFigures {
    let shared = subject.settings.nats == nil ? nil : shared?[subject.name]
    return SubjectFigures(subject, shared, readable(subject))
  }

  /// The live figures of a subject, as rows tell them.
  func text(of subject: ServerSubject) -> String {
    let text = figures(of: subject).text
    guard subject.settings.nats != nil, let shared = shared?[subject.name] else { return text }
    return "\(text) \(shared.figures)"
  }
}

extension SharedSubject {
  /// What there is to say of it beside what there is of other subjects.
  fileprivate var figures: String {
    let used = room.isLookedAfter ? " used=\(room.used)" : ""
    let slowest = room.used > 0 ? room.slowest.map { " slowest=\($0.place)" } ?? "" : ""
    let room = isLossless ? "room=\(room.size)\(used)\(slowest) " : ""
    let left = inlet.leftOut > 0 ? " left-out=\(inlet.leftOut)" : ""
    return "\(room)nats=\(natsState)" + left + (inlet.gaps > 0 ? " gaps=\(inlet.gaps)" : "")
  }
}

extension ClientSubscription {
  /// The live figures, as rows tell them.
  var figures: String {
    let text = "demand=\(demand) values=\(values) missed=\(missedInAll)\(waiting)"
    return stalled.map { text + " stalled=\($0 / 1_000_000)ms" } ?? text
  }

  /// What waits for its client to read, where something does.
  var waiting: String { parkedCount > 0 ? " undelivered=\(parkedCount)" : "" }

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
  var text: String {
    var text = "in=\(taken)"
    if made > 0 { text += " made=\(made)" }
    text += " out=\(sent) dropped=\(dropped) held=\(held) consumed=\(consumed)"
    if left > 0 { text += " left=\(left)" }
    if let publishers { text += " publishers=\(publishers)" }
    return text + " demand=\(demand == .max ? "max" : "\(demand)")"
  }
}

extension Run {
  /// The live figures, as rows show them; the counts of values only if its `inside` may be shown.
  func figures(inside: Bool) -> String {
    let state =
      switch state {
      case .running where shared?.isRefused == true: "refused"
      case .running: "running"
      case .waiting: "waiting"
      case .finished: "finished"
      case .failed: "failed"
      }
    let missed = misses.values.reduce(0, +)
    let place = shared.map { isRunning ? " lease=\($0.place)" : "" } ?? ""
    let resume = shared.map { " resume=\($0.resume.rawValue)" } ?? ""
    let counts = inside ? " values=\(values) missed=\(missed) held=\(held) demand=\(demand)" : ""
    return "state=\(state)\(place)\(resume)\(counts)\(restartFigures)"
  }

  /// What is told of a run that is started again.
  private var restartFigures: String {
    guard let restarts else { return "" }
    let next = if case .waiting = state { " next=\(restarts.left(at: engine.now))ms" } else { "" }
    return " restarts=\(restarts.count)\(next)"
  }
}
