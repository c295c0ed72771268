internal import FlowLanguage
package import FlowWire

/// Values that come together.
///
/// They go to one subscription after the other, all of them to each. Those that take single values, and
/// those of which several may lead to one place, are given one value after the other, all of them each:
/// so to these nothing is different, and no others can tell.
extension ServerSubject {
  /// How many values may come as one batch, if that is what comes next.
  package func roomForBatch() -> Int {
    guard state.kept == nil, completion == nil else { return 0 }
    var most = state.largestBatch
    if state.outletCount > Self.manyReaders {
      most = min(most, max(1, Self.deliveriesAtOnce / state.outletCount))
    }
    if isLossless { most = hasCredit ? min(leastCredit, most) : 0 }
    guard state.meeting > 0, most > 0 else { return most }
    host.searches &+= 1
    var together = isOnlyWay(in: host.searches) ? most : 0
    forEachOutlet { if $0.mayMeet, together > 0 { together = min(together, $0.batchRoom) } }
    state.separates = together == 0
    return state.separates ? most : together
  }

  /// Whether no other way leads to all that its subscriptions lead to, as far as this search has come.
  package func isOnlyWay(in search: Int) -> Bool {
    guard state.search != search, state.meetingSingles == 0, state.kept == nil, completion == nil
    else { return false }
    state.search = search
    guard state.meeting > 0 else { return true }
    var isOnly = true
    forEachOutlet { if $0.mayMeet, isOnly { isOnly = $0.isOnlyWay(in: search) } }
    return isOnly
  }

  /// Sends values of `sender` for which there was `roomForBatch`.
  ///
  /// - Returns: how many of the first values it has taken, and how often one found no demand. Where no
  ///   value may be missed, it does not take all if a subscription without credit comes meanwhile, or
  ///   the last one leaves.
  package func publish(
    _ batch: ValueBatch,
    _ places: Range<Int>,
    from sender: (any ValueSender)? = nil
  ) -> (taken: Int, missed: Int) {
    let before = state.missed
    let mark = timeSlice.mark
    state.publishing &+= 1
    let wasShared = batch.isShared
    batch.isShared = state.outletCount > 1
    let separates = state.meeting > 0 && state.separates
    let areAll = state.singleReaders == 0 && !separates
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
        state.delivered &+= result.to
        state.missed &+= result.missed
        last = max(last, result.to)
      }
    }
    if isLossless, state.outletCount == 0 { taken = last }
    state.published &+= taken
    if !state.isPlain { state.tap?.pass(batch, places.prefix(taken)) }
    batch.isShared = wasShared
    state.publishing &-= 1
    if state.publishing == 0 { compact() }
    if state.outletCount > Self.manyReaders { hasSent(taken) }
    if state.largestBatch < .max { adaptBatches(taken, isOver(since: mark)) }
    return (taken, state.missed &- before)
  }

  /// Sends values one after the other to those that do not take them together, and to all that come
  /// meanwhile; says how many those are, and how many until the last one that anybody took.
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
      state.delivered &+= result.to
      state.missed &+= result.missed
      taken += 1
      if result.to > 0 { last = taken }
      if isLossless, !hasCredit { break }
    }
    return (taken, last)
  }

  /// Values that took long come in smaller batches, as long as that is so.
  private func adaptBatches(_ count: Int, _ tookLong: Bool) {
    if tookLong {
      state.largestBatch = max(1, count / 4)
    } else if state.largestBatch < Self.batchOfPipelines {
      state.largestBatch = min(2 * state.largestBatch, Self.batchOfPipelines)
    }
  }

  /// More subscriptions than these are many.
  static let manyReaders = 64
  /// How often a turn hands a value to one of many subscriptions, which takes about 25 ms.
  ///
  /// With less, each of them would be sent to more often, which costs more than all else.
  static let deliveriesAtOnce = 262_144

  /// So many values have gone to many subscriptions: after enough of that, whoever sends them goes on
  /// in a later turn.
  func hasSent(_ values: Int) {
    state.handedOn &+= values &* state.outletCount
    guard state.handedOn >= Self.deliveriesAtOnce else { return }
    state.handedOn = 0
    timeSlice.endTurn()
  }

  /// The most values that come at once to pipelines, where each stage takes all of them before the next.
  static let batchOfPipelines = 256

  /// Changes how an outlet takes values, which is being added.
  func change(_ outlet: Outlet, _ body: () -> Void) {
    count(outlet, -1)
    body()
    count(outlet, 1)
  }

  /// Counts how it takes values.
  func count(_ outlet: Outlet, _ change: Int) {
    if !outlet.takesBatches { state.singleReaders += change }
    guard outlet.mayMeet else { return }
    state.meeting += change
    if !outlet.takesBatches { state.meetingSingles += change }
  }
}
