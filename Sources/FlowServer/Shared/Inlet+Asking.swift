internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

// What an inlet asks NATS for: values, whether some are left, and to know how far it has come.
extension Inlet {
  func endTurn() {
    followReaders()
    finishIfRead()
    pull()
    acknowledge()
  }

  /// Asks for what the subject grants and has not been asked for.
  private func pull() {
    guard case .open = state, let publication, shared.stream != nil else { return }
    var wanted: Int
    if subject.isLossless {
      wanted = publication.granted - outstanding - overflow.count
    } else {
      wanted = outstanding * 2 <= Self.window ? Self.window - outstanding : 0
    }
    if let reader { wanted = min(wanted, reader.room - outstanding - overflow.count) }
    // Others may come instead, for which there is no room.
    wanted += min(Int(again), Self.mostAgain)
    // What comes next is no value.
    if wanted <= 0, outstanding == 0, case .message(let place)? = shared.end, place == expected {
      wanted = 1
    }
    // Many small ones are put together: NATS serves all that wait in turns.
    if pulls >= Self.mostPulls, wanted < outstanding { wanted = 0 }
    guard wanted > 0 else { return }
    if outstanding == 0 {
      pulls = 0
      lastHeard = now
    }
    outstanding += wanted
    pulls += 1
    lastPull = now
    subject.setWaiting(elsewhere: false)
    laggingSince = nil
    let request = shared.names.pull(wanted, by: consumer(generation), of: shared.name)
    link.pull(request, generation)
  }

  private static let mostAgain = 256
  private static let mostPulls = 8
  /// How many are asked for where nobody waits for demand.
  private static let window = 1024

  /// Acknowledges the last value that went out, one at a time.
  private func acknowledge() {
    guard hasNews, acknowledges, ackSince == nil, shared.stream != nil,
      state == .open || state == .closing
    else { return }
    hasNews = false
    ackSince = now
    let (attempt, sent) = (attempt, newest)
    let reply = link.expect(within: Self.second) { [weak self] reply in
      guard let self, self.attempt == attempt else { return }
      ackSince = nil
      // A lost one would hold up publishers for good.
      if reply.isMissing, newest == sent { hasNews = true }
      if hasNews { shared.scheduleEndOfTurn() }
    }
    link.publish { $0.publish(String(decoding: sent, as: UTF8.self), reply: reply, Self.ack) }
  }

  static let ack = Array("+ACK".utf8)
  static let second: Int64 = 1_000_000_000

  /// Looks each second whether what was asked for still comes, and shows that this server is there.
  func watch() {
    guard !isWatching else { return }
    isWatching = true
    shared.shared.after(Self.second) { [weak self] in
      guard let self else { return }
      isWatching = false
      look()
    }
  }

  private func look() {
    guard case .open = state else { return }
    defer { watch() }
    guard shared.stream != nil else { return }
    sweep()
    if reader != nil { shared.scheduleEndOfTurn() }
    if outstanding > 0 {
      if now - lastHeard >= Self.patience { renew() }
      return
    }
    if now - lastPull >= min(threshold / 3, max(Self.second, subject.stall / 4)) {
      lastPull = now
      let request = shared.names.signOfLife(by: consumer(generation), of: shared.name)
      link.pull(request, generation)
    }
    lookForLaggards()
  }

  /// Has consumers deleted, now and then, that the reader had on a server that has lost it meanwhile.
  private func sweep() {
    guard let consumers, now - lastSweep >= Self.sweepTime else { return }
    lastSweep = now
    let (attempt, mine) = (attempt, consumer(generation))
    shared.room.look { [weak self] rows in
      guard let self, self.attempt == attempt, reader?.isHeld == true else { return }
      let old = (rows ?? []).filter { $0.isOne(of: consumers) && $0.name != mine }
      obsolete.formUnion(old.map(\.name))
      if !old.isEmpty { deleteObsolete() }
    }
  }

  private static let sweepTime: Int64 = 30_000_000_000

  /// How long a pull may be without a sign of life, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  /// Fails those here who hold up others elsewhere, as they would be who hold up others here.
  private func lookForLaggards() {
    guard shared.isLossless, reader?.holdsUp != true,
      let since = laggingSince, now - since >= subject.stall,
      subject.starved == subject.outletCount
    else { return }
    laggingSince = now
    let mine = consumer(generation)
    shared.room.look { [weak self] rows in
      guard let self, case .open = state, subject.starved == subject.outletCount,
        let rows, let own = rows.first(where: { $0.name == mine }),
        rows.contains(where: { $0.floor > own.floor })
      else { return }
      let time = subject.stall / 1_000_000
      failAll("no room for values of \(shared.name) for \(time) ms while others had room")
    }
  }

  func failAll(_ text: String) {
    subject.forEachOutlet { subject.endTooSlow($0, text) }
  }
}
