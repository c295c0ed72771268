internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

extension ClientSubscription {
  func missed(_ count: Int, _ reason: DropReason) {
    if misses == nil {
      misses = StreamMisses()
      client.engine.notify(
        .missing(client: client.id, id: id, name: name, reason: reason.rawValue)
      )
    }
    misses?.add(count, reason, at: client.engine.now)
    // Reported now, because no value may follow.
    if reason == .gap, isOpen, parkedCount == 0, hasMisses { reportMisses() }
    if reason == .failed { schedule() }
  }

  /// Has the stream do what is due at the end of the turn.
  private func schedule() {
    guard !isScheduled else { return }
    isScheduled = true
    client.scheduleRequest(by: self)
  }

  /// Reports values that a closure had no answer for, since no further value may come to report them
  /// with; unless the client does not read, who would be left more and more lines.
  func reportFailures() {
    guard let misses, misses.untold[.failed] != nil, isOpen, parkedCount == 0, hasMisses,
      connection.unsent <= Self.small
    else { return }
    reportMisses()
  }

  /// Whether misses must be reported before the next value.
  @inline(__always)
  var hasMisses: Bool { misses.map { !$0.untold.isEmpty && !isRaw } ?? false }

  func reportMisses() {
    guard let untold = misses?.take() else { return }
    for reason in DropReason.allCases {
      guard let count = untold[reason] else { continue }
      client.engine.counters.countMissed(count, reason)
      client.signal(.drop(wireID, count: UInt64(count), reason: reason.rawValue))
    }
  }
}
