internal import FlowCore
internal import FlowLanguage

// Who publishes, and how much of it is granted.
extension ServerSubject {
  /// A publication holds so many values more, or fewer.
  package func heldChanged(by change: Int) {
    if waitingCount == 0 { state.waitingSince = host.now }
    state.heldCount += change
  }

  /// Drops what those have left waiting who are gone.
  package func dropAbandoned() {
    for publication in state.publications where publication.isAbandoned {
      state.missed += publication.giveUp()
    }
    state.missed += state.waiting.removeAbandoned()
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

  /// Keeps a SEND or a line of a FEED until there is credit for its value.
  package func wait(_ send: WaitingSend) {
    if waitingCount == 0 { state.waitingSince = host.now }
    state.waiting.append(send)
    if isIntake { backend?.publisherWaits() }
    checkStallLater()
  }

  /// Forgets a SEND that gave up or whose client is gone.
  package func forget(_ send: WaitingSend) { state.waiting.remove(send) }

  /// Asks for `resume()` before the turn ends.
  package func scheduleResume() {
    guard !state.isResumeScheduled, completion == nil, isLossless || !state.publications.isEmpty
    else {
      return
    }
    state.isResumeScheduled = true
    host.scheduleResume(self)
  }

  /// Sends what waits, as far as there is credit, and tells the publishers what they may send now.
  ///
  /// The publications with values, and the SENDs and FEEDs as one more, take turns.
  package func resume() {
    state.isResumeScheduled = false
    guard completion == nil, isLossless, !isPaced else { return }
    grantBesideWaiting()
    let mark = timeSlice.mark
    while waitingCount > 0, state.starved == 0, state.outletCount > 0, takeTurns(since: mark) {}
    if isOver(since: mark), waitingCount > 0 { resumeLater() }
    let credit = grantable
    for publication in state.publications { publication.grant(upTo: credit) }
    if isWaitedFor { checkStallLater() }
  }

  /// Grants a value to each publication that may send none, where others wait that would take all credit.
  ///
  /// Those are SENDs and FEEDs. What it sends takes its turn with theirs.
  private func grantBesideWaiting() {
    guard !state.waiting.isEmpty, state.starved == 0, state.outletCount > 0 else { return }
    for publication in state.publications where publication.granted == 0 {
      publication.grant(upTo: 1)
    }
  }

  /// What a publication may send beside what the others may.
  var grantable: Int { state.starved == 0 && state.waiting.isEmpty ? leastCredit : 0 }

  /// Whether values have cost so much since this `mark` of the timeSlice that others come first.
  func isOver(since mark: Int) -> Bool {
    timeSlice.isOver && timeSlice.isMarked(since: mark)
  }

  /// Sends more of what waits in a later turn.
  private func resumeLater() {
    isPaced = true
    timeSlice.wait { [self] in
      isPaced = false
      resume()
    }
  }

  /// Sends one value of each who has some waiting, as far as there is credit; false if nobody has, or
  /// the turn has lasted long enough.
  private func takeTurns(since mark: Int) -> Bool {
    let ready = state.publications.filter { $0.held > 0 }
    let count = ready.count + (state.waiting.isEmpty ? 0 : 1)
    for _ in 0..<count where state.starved == 0 && state.outletCount > 0 {
      if isOver(since: mark) { return false }
      turn = (turn + 1) % count
      if turn < ready.count {
        if ready[turn].held > 0 { ready[turn].publishHeld() }
      } else if let send = state.waiting.popFirst() {
        let result = unsafe send.value.withUnsafeBytes { unsafe publish($0, from: send.sender) }
        send.end(.sent(to: result.to, missed: result.missed))
      }
    }
    return count > 0
  }
}
