internal import FlowCore
internal import FlowWire

// How long each subscription has held up the others in sum, which silence alone does not show.
//
// Time is added when a subscription gets credit, and judged each time that it comes to the
// subject's `stall`. A subscription that gets credit in the turn in which it ran out costs nothing.

extension ServerSubject {
  /// For how long `outlet` has held up others in sum, if that was longer than `stall` lately.
  package func heldUpLately(_ outlet: Outlet) -> Int64? {
    guard let holdUp = outlet.holdUp, let judged = holdUp.judged,
      host.now - judged - Self.minute < stall
    else { return nil }
    return holdUp.total
  }

  private static let minute: Int64 = 60_000_000_000

  /// Adds the time for which `outlet`, which is about to get credit, has held up others.
  func addHoldUp(_ outlet: Outlet) {
    guard outlet.holds, state.starved < holders else { return }
    let now = host.now
    if let since = slowSince(outlet) {
      if now > since { add(now - since, to: holdUp(of: outlet)) }
    } else if mayWaitUnseen, case let since = max(outlet.starvedSince, state.creditSince),
      now > since
    {
      holdUp(of: outlet).unseen = (now - since, now)
    }
  }

  /// Adds the time before the last credit if that was used up at once, now.
  ///
  /// Then a value has waited at a publisher without a grant.
  func addUnseen(_ holdUp: HoldUp) {
    guard let unseen = holdUp.unseen else { return }
    holdUp.unseen = nil
    if host.now - unseen.until <= unseen.time { add(unseen.time, to: holdUp) }
  }

  private func holdUp(of outlet: Outlet) -> HoldUp {
    if let holdUp = outlet.holdUp { return holdUp }
    let new = HoldUp(published: published)
    outlet.holdUp = new
    return new
  }

  private func add(_ time: Int64, to holdUp: HoldUp) {
    holdUp.sum += time
    guard holdUp.sum >= stall, !judgementIsDue else { return }
    // Later, because the subscription is just getting credit or a value.
    judgementIsDue = true
    let next = host.clock.now.advanced(by: .nanoseconds(1))
    host.clock.schedule(after: next) { [weak self] in self?.judgeHoldUps() }
  }

  /// Ends subscriptions that are slower than the subject's `rate`, and reports the others.
  func judgeHoldUps() {
    judgementIsDue = false
    let limit = stall
    forEachOutlet { outlet in
      guard outlet.isAttached, let holdUp = outlet.holdUp else { return }
      let isAmongOthers = outlet.isStarved && state.starved < holders
      let present = isAmongOthers ? slowSince(outlet).map { host.now - $0 } ?? 0 : 0
      let sum = holdUp.sum + present
      guard sum >= limit else { return }
      let taken = published - holdUp.publishedBefore
      holdUp.total += sum
      // The present time is added again when it is over.
      holdUp.sum = -present
      holdUp.publishedBefore = published
      holdUp.judged = host.now
      if let rate = settings.rate, Double(taken) * 1e9 < Double(rate) * Double(sum) {
        let values = taken == 1 ? "1 value" : "\(taken) values"
        let text =
          "took \(values) of \(name) in \(sum / 1_000_000) ms in which it held up others;"
          + " the least rate is \(rate)/s"
        endTooSlow(outlet, text)
      } else if holdUp.notified.map({ host.now - $0 >= Self.minute }) ?? true {
        holdUp.notified = host.now
        host.holdsUp(outlet, for: self, for: holdUp.total)
      }
    }
  }
}
