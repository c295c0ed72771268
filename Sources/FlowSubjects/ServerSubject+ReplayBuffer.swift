internal import FlowCore
internal import FlowLanguage
internal import FlowWire

// What a `current` or `replay` subject keeps, and how far each subscription has read it.

extension ServerSubject {
  package func keep(_ value: inout PublishedValue) -> (to: Int, missed: Int) {
    let before = state.kept?.bytes ?? 0
    state.kept?.append(value.value)
    while let kept = state.kept, kept.bytes > host.subjectHoldLimit { dropOldest() }
    host.keptChanged(by: (state.kept?.bytes ?? 0) - before)
    var to = 0
    var missed = 0
    let count = unsafe state.outlets.count
    for index in 0..<count {
      // memory 4
      unsafe state.outlets[index]?._withUnsafeGuaranteedRef { outlet in
        if outlet.credit > 0 {
          to += 1
        } else {
          missed += 1
          if let kept = state.kept, outlet.cursor + 1 == kept.end { outlet.unreadSince = host.now }
        }
        readKept(outlet)
      }
    }
    return (to, missed)
  }

  /// Replaces all kept values by `initial`; every subscription must have read them.
  package func keepOnly(_ initial: [UInt8]?) {
    guard let old = state.kept else { return }
    var new = ReplayBuffer(limit: settings.keptCount, from: old.end)
    if let initial { unsafe new.append(initial.withUnsafeBytes { unsafe Value(bytes: $0) }) }
    state.kept = new
    host.keptChanged(by: new.bytes - old.bytes)
    old.letGo()
    forEachOutlet { readKept($0) }
  }

  /// Drops all kept values, and those that departed publishers left waiting.
  package func giveUpKept() {
    host.keptChanged(by: -dropOldest(downTo: 0))
    dropAbandoned()
  }

  /// Drops the oldest kept value to make room; subscriptions that have not read it miss it.
  package func dropOldest() {
    state.kept?.dropFirst()
    state.counts.forgotten &+= 1
  }

  /// Drops the oldest values until at most `least` bytes are kept; returns the freed bytes.
  package func dropOldest(downTo least: Int) -> Int {
    let before = state.kept?.bytes ?? 0
    state.counts.forgotten &+= state.kept?.dropFirst(downTo: least) ?? 0
    return before - (state.kept?.bytes ?? 0)
  }

  /// Sends unread kept values to `outlet`, as far as it has credit.
  package func readKept(_ outlet: Outlet) {
    guard var values = state.kept else { return }
    while outlet.isAttached, outlet.credit > 0, outlet.cursor < values.end {
      countReplaced(outlet)
      let value = values[outlet.cursor]
      outlet.cursor += 1
      if outlet.credit != .max { outlet.credit -= 1 }
      state.counts.delivered += 1
      unsafe value.withBytes { bytes in
        var published = unsafe PublishedValue(bytes, of: value)
        outlet.offer(&published)
      }
      if outlet.credit == 0 { outletRanOut(outlet) }
      guard let now = state.kept else { return }
      values = now
    }
    if let completion, outlet.isAttached, outlet.cursor >= values.end {
      end(outlet, completion)
    }
  }

  /// How many values were dropped before `outlet` read them.
  package func replaced(_ outlet: Outlet) -> Int {
    guard let kept = state.kept, outlet.cursor < kept.start else { return 0 }
    return Int(kept.start - outlet.cursor)
  }

  /// Counts dropped values as missed by `outlet`.
  package func countReplaced(_ outlet: Outlet) {
    let count = replaced(outlet)
    guard count > 0 else { return }
    outlet.cursor += UInt64(count)
    state.counts.missed += count
    outlet.missed(count, .replaced)
  }

  /// Counts all unread values as missed by `outlet`, which is about to fail.
  package func countUnread(_ outlet: Outlet) {
    countReplaced(outlet)
    guard let kept = state.kept, outlet.cursor < kept.end else { return }
    let count = Int(kept.end - outlet.cursor)
    outlet.cursor = kept.end
    state.counts.missed += count
    outlet.missed(count, .noDemand)
  }

  /// For how long a kept value has waited for `outlet`, if one has.
  package func unread(_ outlet: Outlet) -> Int64? {
    guard let kept = state.kept, outlet.cursor < kept.end else { return nil }
    return host.now - outlet.unreadSince
  }
}
