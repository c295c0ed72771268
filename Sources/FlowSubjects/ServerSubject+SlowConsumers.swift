internal import FlowCore
internal import FlowLanguage
internal import FlowWire

private typealias Moment = VirtualTimeScheduler.SchedulerTimeType

// Which subscriptions hold up a lossless subject, and for how long they may.

extension ServerSubject {
  /// The longest time that a current subscription has held up waiting values.
  package var longestStall: Int64 {
    var longest: Int64 = 0
    forEachOutlet { longest = max(longest, stalled($0) ?? 0) }
    return longest
  }

  /// For how long `outlet` has held up values or publishers, if it does.
  package func stalled(_ outlet: Outlet) -> Int64? {
    holdsUpSince(outlet).map { host.now - $0 }
  }

  /// For how long `outlet` has had no credit while a publisher has no grant, if so.
  package func holdsBack(_ outlet: Outlet) -> Int64? {
    outlet.isStarved && outlet.holds && isLossless && mayWaitUnseen
      ? host.now - outlet.starvedSince : nil
  }

  /// Since when `outlet` has had no credit while a value waits.
  ///
  /// The value waits here, or at a publisher without a grant while the client does not read.
  private func holdsUpSince(_ outlet: Outlet) -> Int64? {
    guard outlet.isStarved, outlet.holds, isLossless else { return nil }
    if waitingCount > 0 || state.waitsElsewhere {
      return max(outlet.starvedSince, state.waitingSince)
    }
    return outlet.isUnread && mayWaitUnseen ? outlet.starvedSince : nil
  }

  /// Whether values may wait at a publisher that has no grant.
  var mayWaitUnseen: Bool {
    state.publications.contains { $0.granted == 0 && !$0.hasEnded }
  }

  /// Since when `outlet` has held up values while others had credit.
  func slowSince(_ outlet: Outlet) -> Int64? {
    holdsUpSince(outlet).map { max($0, state.creditSince) }
  }

  /// Whether a subscription could hold anything up.
  package var isWaitedFor: Bool { waitingCount > 0 || !state.publications.isEmpty }

  /// Records whether a value waits at its source because of a subscription here.
  package func setWaiting(elsewhere waits: Bool) {
    guard state.waitsElsewhere != waits else { return }
    state.waitsElsewhere = waits
    guard waits else { return }
    if waitingCount == 0 { state.waitingSince = host.now }
    checkStallLater()
  }

  /// How long a subscription may hold up others, in nanoseconds.
  package var stall: Int64 { settings.stall ?? host.stall }

  /// Checks for a subscription that holds up all others, after the subject's `stall`.
  package func checkStallLater() {
    guard !stallCheckIsDue, state.starved > 0, state.starved < holders else { return }
    stallCheckIsDue = true
    var first = host.now
    forEachOutlet { first = min(first, slowSince($0) ?? first) }
    let due = Moment(nanoseconds: first).advanced(by: .init(nanoseconds: stall))
    let next = host.clock.now.advanced(by: .nanoseconds(1))
    host.clock.schedule(after: max(due, next)) { [weak self] in self?.failSlowConsumers() }
  }

  private func failSlowConsumers() {
    guard state.starved > 0, state.starved < holders else {
      stallCheckIsDue = false
      return
    }
    let limit = host.now - stall
    let text = "no room for values of \(name) for \(stall / 1_000_000) ms while others had room"
    forEachOutletInTurns { [self] outlet in
      if let since = slowSince(outlet), since <= limit { endTooSlow(outlet, text) }
    } finally: { [self] in
      stallCheckIsDue = false
      judgeHoldUps()
      if isWaitedFor { checkStallLater() }
      scheduleResume()
    }
  }
}
