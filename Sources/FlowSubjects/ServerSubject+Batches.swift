internal import FlowLanguage
package import FlowWire

/// Batches: values that come together.
///
/// Each subscription takes the whole batch before the next one does. Subscriptions that take single
/// values, or whose pipelines may converge, get one value after the other instead, so the order that
/// anyone can see stays the same.
extension ServerSubject {
  /// Returns how many values may come as one batch now.
  package func roomForBatch() -> Int {
    guard state.kept == nil, completion == nil else { return 0 }
    var most = state.batches.largest
    if state.outletCount > Self.manyReaders {
      most = min(most, max(1, Self.deliveriesAtOnce / state.outletCount))
    }
    if isLossless { most = hasCredit ? min(leastCredit, most) : 0 }
    guard state.batches.converging > 0, most > 0 else { return most }
    host.searches &+= 1
    var together = isOnlyWay(in: host.searches) ? most : 0
    forEachOutlet { if $0.mayConverge, together > 0 { together = min(together, $0.batchRoom) } }
    state.batches.separates = together == 0
    return state.batches.separates ? most : together
  }

  /// Whether no other way found so far by `search` leads to the places of its subscriptions.
  package func isOnlyWay(in search: Int) -> Bool {
    guard state.batches.search != search, state.batches.convergingSingles == 0, state.kept == nil,
      completion == nil
    else { return false }
    state.batches.search = search
    guard state.batches.converging > 0 else { return true }
    var isOnly = true
    forEachOutlet { if $0.mayConverge, isOnly { isOnly = $0.isOnlyWay(in: search) } }
    return isOnly
  }

  /// Sends values of `sender` within `roomForBatch`.
  ///
  /// - Returns: how many of the first values were taken, and how often a subscription had no
  ///   demand. A lossless subject stops early if a subscription without credit joins, or the last
  ///   one leaves.
  package func publish(
    _ batch: ValueBatch,
    _ places: Range<Int>,
    from sender: (any ValueSender)? = nil
  ) -> (taken: Int, missed: Int) {
    let before = state.counts.missed
    let mark = timeSlice.mark
    state.publishing &+= 1
    let wasShared = batch.isShared
    batch.isShared = state.outletCount > 1
    let separates = state.batches.converging > 0 && state.batches.separates
    let areAll = state.batches.singles == 0 && !separates
    let indices = unsafe state.outlets.indices
    var (taken, last) = (places.count, 0)
    if !areAll {
      state.sender = sender
      (taken, last) = publishSingly(batch, places, separates, indices)
      state.sender = nil
    }
    // memory 4
    for index in indices {
      unsafe state.outlets[index]?._withUnsafeGuaranteedRef { outlet in
        guard areAll || outlet.takesTogether(separates) else { return }
        let result = outlet.offer(batch, places.prefix(taken))
        state.counts.add(result)
        last = max(last, result.to)
      }
    }
    if isLossless, state.outletCount == 0 { taken = last }
    state.counts.published &+= taken
    if !state.isPlain { state.tap?.pass(batch, places.prefix(taken)) }
    batch.isShared = wasShared
    state.publishing &-= 1
    if state.publishing == 0 { compact() }
    if state.outletCount > Self.manyReaders { hasSent(taken) }
    if state.batches.largest < .max { state.batches.adapt(taken, isOver(since: mark)) }
    return (taken, state.counts.missed &- before)
  }

  /// Sends values singly to the outlets that do not take batches, and to those that join meanwhile.
  private func publishSingly(
    _ batch: ValueBatch,
    _ places: Range<Int>,
    _ separates: Bool,
    _ present: Range<Int>
  ) -> (taken: Int, last: Int) {
    var (taken, last) = (0, 0)
    for place in places {
      var value = unsafe PublishedValue(ofBatch: batch[place])
      let result = passThrough(&value) { index, outlet in
        !present.contains(index) || !outlet.takesTogether(separates)
      }
      state.counts.add(result)
      taken += 1
      if result.to > 0 { last = taken }
      if isLossless, !hasCredit { break }
    }
    return (taken, last)
  }

  /// Above this number of subscriptions, deliveries are counted against the turn.
  static let manyReaders = 64
  /// How many deliveries to many subscriptions fit into a turn; about 25 ms.
  ///
  /// A smaller limit would write to each client more often, which costs more than anything else.
  static let deliveriesAtOnce = 262_144

  /// Counts deliveries to many subscriptions, and ends the turn after `deliveriesAtOnce`.
  func hasSent(_ values: Int) {
    state.handedOn &+= values &* state.outletCount
    guard state.handedOn >= Self.deliveriesAtOnce else { return }
    state.handedOn = 0
    timeSlice.endTurn()
  }

  /// Changes how an outlet takes values, and keeps the counts right.
  func change(_ outlet: Outlet, _ body: () -> Void) {
    state.batches.count(outlet, -1)
    body()
    state.batches.count(outlet, 1)
  }
}
