internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

extension ClientSubscription {
  /// The live figures, as rows tell them.
  var fields: RowFields {
    let stalled = stalled.map { "\($0 / 1_000_000)ms" }
    return [
      "demand": demand, "values": values, "missed": missedInAll,
      "failed": misses?.failed.unlessZero, "undelivered": parkedCount.unlessZero,
      "stalled": stalled,
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

extension Int {
  /// The number for a field that is left out if it is 0.
  var unlessZero: Int? { self > 0 ? self : nil }
}
