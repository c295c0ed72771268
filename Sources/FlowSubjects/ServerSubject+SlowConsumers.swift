internal import FlowCore
internal import FlowLanguage
internal import FlowWire

private typealias Moment = VirtualTimeScheduler.SchedulerTimeType

// Who holds up a lossless subject, and for how long that may last.

extension ServerSubject {
  /// How long the subscription that has held up values that wait for longest has done so.
  package var longestStall: Int64 {
    var longest: Int64 = 0
    forEachOutlet { longest = max(longest, stalled($0) ?? 0) }
    return longest
  }

  /// For how long `outlet` has held up values that wait or publishers, if it does.
  package func stalled(_ outlet: Outlet) -> Int64? {
    holdsUpSince(outlet).map { host.now - $0 }
  }

  /// For how long `outlet` has had no credit while a publisher may send nothing more, if that is so.
  package func holdsBack(_ outlet: Outlet) -> Int64? {
    outlet.isStarved && isLossless && mayWaitUnseen ? host.now - outlet.starvedSince : nil
  }

  /// Since when `outlet` has had no credit while a value waits: here, or with a publisher that has used
  /// up its grant, while what was sent to `outlet` is not read.
  private func holdsUpSince(_ outlet: Outlet) -> Int64? {
    guard outlet.isStarved, isLossless else { return nil }
    if waitingCount > 0 || state.waitsElsewhere {
      return max(outlet.starvedSince, state.waitingSince)
    }
    return outlet.isUnread && mayWaitUnseen ? outlet.starvedSince : nil
  }

  /// Whether values may wait with a publisher, since it may not send any.
  private var mayWaitUnseen: Bool {
    state.publications.contains { $0.granted == 0 && !$0.hasEnded }
  }

  /// Since when `outlet` has held up others that have credit.
  private func slowSince(_ outlet: Outlet) -> Int64? {
    holdsUpSince(outlet).map { max($0, state.creditSince) }
  }

  /// Whether there is something that a subscription can hold up.
  package var isWaitedFor: Bool { waitingCount > 0 || !state.publications.isEmpty }

  /// Says whether a value waits where they come from, which a subscription here holds up.
  package func setWaiting(elsewhere waits: Bool) {
    guard state.waitsElsewhere != waits else { return }
    state.waitsElsewhere = waits
    guard waits else { return }
    if waitingCount == 0 { state.waitingSince = host.now }
    checkStallLater()
  }

  /// How long one subscription may hold up others, in nanoseconds.
  package var stall: Int64 { settings.stall ?? host.stall }

  /// Looks, after the subject's `stall`, for a subscription that holds up all others.
  package func checkStallLater() {
    guard !stallCheckIsDue, state.starved > 0, state.starved < state.outletCount else { return }
    stallCheckIsDue = true
    var first = host.now
    forEachOutlet { first = min(first, slowSince($0) ?? first) }
    let due = Moment(nanoseconds: first).advanced(by: .init(nanoseconds: stall))
    let next = host.clock.now.advanced(by: .nanoseconds(1))
    host.clock.schedule(after: max(due, next)) { [weak self] in self?.failSlowConsumers() }
  }

  private func failSlowConsumers() {
    stallCheckIsDue = false
    guard state.starved > 0, state.starved < state.outletCount else { return }
    let limit = host.now - stall
    let text = "no room for values of \(name) for \(stall / 1_000_000) ms while others had room"
    forEachOutlet { outlet in
      if let since = slowSince(outlet), since <= limit { endTooSlow(outlet, text) }
    }
    if isWaitedFor { checkStallLater() }
    scheduleResume()
  }
}
