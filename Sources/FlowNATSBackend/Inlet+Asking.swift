internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

// Requests of an inlet to NATS: values, heartbeats and acknowledgements.
extension Inlet {
  func endTurn() {
    followReaders()
    finishIfRead()
    pull()
    acknowledge()
  }

  /// Requests as many values as the subject's grant allows.
  private func pull() {
    guard state.phase == .open, let publication, shared.stream != nil else { return }
    let atHand = outstanding + backlog.overflow.count
    var wanted: Int
    if subject.isLossless {
      wanted = publication.granted - atHand
    } else {
      wanted = outstanding * 2 <= Self.window ? Self.window - outstanding : 0
    }
    if let reader { wanted = min(wanted, reader.room - atHand) }
    // Repeated values may come as well, which need no room.
    wanted += min(Int(state.again), Self.mostAgain)
    // The next message is the end, not a value.
    if wanted <= 0, outstanding == 0, case .message(let place)? = shared.end, place == expected {
      wanted = 1
    }
    let count = pulls.pull(wanted, now)
    guard count > 0 else { return }
    subject.setWaiting(elsewhere: false)
    pull(shared.names.pull(count, by: consumer, of: shared.name))
  }

  private static let mostAgain = 256
  /// How many values are requested if no subscriber limits them.
  private static let window = 1024

  private func acknowledge() {
    guard acknowledges, shared.stream != nil, state.phase == .open || state.phase == .closing,
      let ack = acks.take()
    else { return }
    let answered = ifCurrent { (inlet: Inlet, reply: NATSReply) in
      if inlet.acks.answered(ack, isMissing: reply.isMissing) { inlet.shared.scheduleEndOfTurn() }
    }
    send(ack: ack, link.expect(within: Self.second, answered))
  }

  func send(ack: [UInt8], _ reply: String) {
    let payload = Array("+ACK".utf8)
    link.publish { $0.publish(String(decoding: ack, as: UTF8.self), reply: reply, payload) }
  }

  static let second: Int64 = 1_000_000_000

  /// Checks each second that requested values still come, and shows that this server lives.
  func watch() {
    guard !isWatching else { return }
    isWatching = true
    shared.shared.after(Self.second) { [weak self] in
      guard let self else { return }
      isWatching = false
      check()
    }
  }

  private func check() {
    guard state.phase == .open else { return }
    defer { watch() }
    guard shared.stream != nil else { return }
    sweep()
    if reader != nil { shared.scheduleEndOfTurn() }
    if pulls.isSilent(now) { return renew() }
    guard outstanding == 0 else { return }
    if pulls.giveSign(each: min(threshold / 3, max(Self.second, subject.stall / 4)), now) {
      pull(shared.names.signOfLife(by: consumer, of: shared.name))
    }
    lookForLaggards()
  }

  /// Deletes consumers of the reader on a server that has lost it; checks now and then.
  private func sweep() {
    guard let consumers, now - lastSweep >= Self.sweepTime else { return }
    lastSweep = now
    let mine = consumer
    shared.room.checkReaders(
      ifCurrent { inlet, rows in
        guard inlet.reader?.isHeld == true else { return }
        let old = (rows ?? []).filter { $0.isOne(of: consumers) && $0.name != mine }
        inlet.state.obsolete.formUnion(old.map(\.name))
        if !old.isEmpty { inlet.deleteObsolete {} }
      }
    )
  }

  private static let sweepTime: Int64 = 30_000_000_000

  /// Fails subscriptions here that hold up others elsewhere.
  private func lookForLaggards() {
    guard shared.isLossless, reader?.holdsUp != true,
      let since = pulls.laggingSince, now - since >= subject.stall,
      isWithoutRoom
    else { return }
    pulls.lagAgain(now)
    let mine = consumer
    shared.room.checkReaders { [weak self] rows in
      guard let self, state.phase == .open, isWithoutRoom,
        let rows, let own = rows.first(where: { $0.name == mine }),
        rows.contains(where: { $0.floor > own.floor })
      else { return }
      let time = subject.stall / 1_000_000
      failAll("no room for values of \(shared.name) for \(time) ms while others had room")
    }
  }

  /// Whether no subscription that the subject waits for has room.
  private var isWithoutRoom: Bool { subject.starved > 0 && subject.starved == subject.holders }

  /// Ends all subscriptions that the subject waits for.
  func failAll(_ text: String) {
    subject.forEachOutletInTurns { [subject] in if $0.holds { subject.endTooSlow($0, text) } }
  }
}
