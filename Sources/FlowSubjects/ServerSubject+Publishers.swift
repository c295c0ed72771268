internal import FlowCore
internal import FlowLanguage

// Publishers and their grants.
extension ServerSubject {
  /// Adds `change` to the number of held values.
  package func heldChanged(by change: Int) {
    if waitingCount == 0 { state.waitingSince = host.now }
    state.heldCount += change
  }

  /// Drops the values that departed publishers have left waiting.
  package func dropAbandoned() {
    for publication in state.publications where publication.isAbandoned {
      state.counts.missed += publication.dropHeld()
    }
    state.counts.missed += state.waiting.removeAbandoned()
    completeIfAllWent()
    scheduleResume()
  }

  package func add(_ publication: Publication) {
    publication.place = state.publications.count
    state.publications.append(publication)
    if isIntake { backend?.publisherWaits() }
    scheduleResume()
  }

  package func remove(_ publication: Publication) {
    let place = publication.place
    guard state.publications.indices.contains(place), state.publications[place] === publication
    else { return }
    state.publications.swapAt(place, state.publications.count - 1)
    state.publications[place].place = place
    state.publications.removeLast()
    scheduleResume()
  }

  package func add(_ feed: any SubjectFeed) { feeds.append(feed) }

  package func remove(_ feed: any SubjectFeed) { feeds.removeAll { $0 === feed } }

  /// Keeps a SEND or a line of a FEED until its value has credit.
  package func wait(_ send: WaitingSend) {
    if waitingCount == 0 { state.waitingSince = host.now }
    state.waiting.append(send)
    if isIntake { backend?.publisherWaits() }
    checkStallLater()
  }

  /// Forgets a SEND that timed out or whose client is gone.
  package func forget(_ send: WaitingSend) { state.waiting.remove(send) }

  package func scheduleResume() {
    guard !state.isResumeScheduled, completion == nil, isLossless || !state.publications.isEmpty
    else {
      return
    }
    state.isResumeScheduled = true
    host.scheduleResume(self)
  }

  /// Sends waiting values as far as credit allows, then grants more to the publishers.
  ///
  /// Publications with held values take turns; all SENDs and FEEDs together count as one.
  package func resume() {
    state.isResumeScheduled = false
    guard completion == nil, isLossless, !resumesLater else { return }
    grantBesideWaiting()
    let mark = timeSlice.mark
    while waitingCount > 0, state.starved == 0, state.outletCount > 0, takeTurns(since: mark) {}
    if isOver(since: mark), waitingCount > 0 { resumeLater() }
    let credit = grantable
    for publication in state.publications { publication.grant(upTo: credit) }
    if isWaitedFor { checkStallLater() }
  }

  /// Grants one value to each publication without a grant while SENDs and FEEDs wait.
  ///
  /// Otherwise these would take all credit. The granted value takes its turn with theirs.
  private func grantBesideWaiting() {
    guard !state.waiting.isEmpty, state.starved == 0, state.outletCount > 0 else { return }
    for publication in state.publications where publication.granted == 0 {
      publication.grant(upTo: 1)
    }
  }

  /// How much a publication may send beside the others.
  var grantable: Int { state.starved == 0 && state.waiting.isEmpty ? leastCredit : 0 }

  /// Whether the work since `mark` has used up the time slice.
  func isOver(since mark: Int) -> Bool {
    timeSlice.isOver && timeSlice.isMarked(since: mark)
  }

  /// Continues with the waiting values in a later turn.
  private func resumeLater() {
    resumesLater = true
    timeSlice.wait { [self] in
      resumesLater = false
      resume()
    }
  }

  /// Sends one value of each waiting publisher, as far as credit allows.
  ///
  /// Returns false if no value waits, or the time slice is used up.
  private func takeTurns(since mark: Int) -> Bool {
    let ready = state.publications.filter { $0.held > 0 }
    let count = ready.count + (state.waiting.isEmpty ? 0 : 1)
    for _ in 0..<count where state.starved == 0 && state.outletCount > 0 {
      if isOver(since: mark) { return false }
      lastServed = (lastServed + 1) % count
      if lastServed < ready.count {
        if ready[lastServed].held > 0 { ready[lastServed].publishHeld() }
      } else if let send = state.waiting.popFirst() {
        let result = unsafe send.value.withUnsafeBytes { unsafe publish($0, from: send.sender) }
        send.end(.sent(to: result.to, missed: result.missed))
      }
    }
    return count > 0
  }
}
