internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

extension ClientSubscription {
  /// The live figures for rows.
  var fields: RowFields {
    let stalled = stalled.map { "\($0 / 1_000_000)ms" }
    return [
      "demand": demand, "flow": flow?.rawValue, "values": values, "missed": missedInAll,
      "failed": misses?.failed.unlessZero, "undelivered": parkedCount.unlessZero,
      "stalled": stalled,
    ]
  }

  /// Whether TAP opened it.
  var isTap: Bool { source.outlet?.home?.isTap ?? false }

  /// For how long it has had no demand, or not read, while a value waited for it.
  var stalled: Int64? {
    guard demand == .none || isUnread else { return nil }
    let untold = misses.flatMap { demand == .none && $0.untoldCount > 0 ? $0 : nil }
    let missing = untold.map { client.engine.now - $0.since }
    return [missing, heldUp].compactMap { $0 }.max()
  }

  /// For how long a value has waited for it: parked, at its subject, or in its pipeline.
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

  /// How many values it has missed, including those not reported yet.
  var missedInAll: Int {
    let total = misses?.total ?? 0
    guard let outlet = source.outlet, let subject = outlet.subject else { return total }
    return total + subject.replaced(outlet)
  }
}

extension Int {
  /// The number, or nil to leave out a field that is 0.
  var unlessZero: Int? { self > 0 ? self : nil }
}
