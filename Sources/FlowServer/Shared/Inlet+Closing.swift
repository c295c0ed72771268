internal import FlowCore
internal import FlowNATS
internal import FlowSubjects

// How it is given up: consumers are deleted, and what went out is acknowledged.
extension Inlet {
  /// Has the consumer deleted, since the last subscription has left; `done` is called then.
  func close(_ done: @escaping () -> Void) {
    switch state {
    case .closed: return done()
    case .closing: return whenClosed.append(done)
    case .opening, .open: break
    }
    whenClosed.append(done)
    let wasOpen = state == .open
    state = .closing
    attempt += 1
    forgetWaiting()
    // Whoever comes before it is closed reads what is kept from the stream, as all do.
    if subject.completion == nil { subject.keepOnly(nil) }
    tellOpen()
    if generation > 0 {
      link.detach(generation)
      obsolete.insert(consumer(generation))
    }
    let hasGoneOut = shared.isLossless && (wasOpen || !newest.isEmpty)
    if hasGoneOut { finishClosing() } else { deleteConsumers() }
  }

  /// Has purged what has gone out and nobody else needs, and then the consumer deleted; while NATS is away that
  /// waits.
  func finishClosing(tries: Int = 10) {
    guard shared.stream != nil else { return }
    ackSince = nil
    let last = unsafe newest.withUnsafeBytes { unsafe AckSubject($0, 0..<$0.count)?.sequence }
    if let last { for name in obsolete { shared.room.goneOut[name] = last } }
    let attempt = attempt
    shared.room.look { [weak self] rows in
      guard let self, self.attempt == attempt else { return }
      guard rows == nil, tries > 0 else { return deleteConsumers() }
      shared.shared.after(100_000_000) { [weak self] in
        if let self, self.attempt == attempt { finishClosing(tries: tries - 1) }
      }
    }
  }

  /// Whether the last subscription has left, and NATS does not know yet what that has had.
  var isBeingLeft: Bool {
    acknowledges && subject.outletCount == 0 && state != .closed && shared.stream != nil
  }

  /// Calls `done` when it is closed, or goes on for others.
  func whenLeft(_ done: @escaping () -> Void) { whenClosed.append(done) }

  func tellClosed() {
    let told = whenClosed
    whenClosed.removeAll()
    for done in told { done() }
  }

  private func forgetWaiting() {
    let old = publication
    publication = nil
    _ = old?.giveUp()
    overflow = Fifo()
    waiting = Fifo()
    lastLeftOut = nil
    end = nil
    outstanding = 0
    pulls = 0
    laggingSince = nil
    subject.setWaiting(elsewhere: false)
  }

  func deleteConsumers() {
    guard case .closing = state else { return }
    guard shared.stream != nil, !obsolete.isEmpty else { return closed() }
    let attempt = attempt
    deleteObsolete { [weak self] in
      guard let self, self.attempt == attempt else { return }
      closed()
    }
  }

  func closed() {
    guard case .closing = state else { return }
    state = .closed
    generation = 0
    expected = nil
    shared.room.goneOut = [:]
    newest = []
    hasNews = false
    ackSince = nil
    tellClosed()
    if subject.outletCount > 0 { open() }
  }

  /// Deletes what was left behind, again until NATS says that it is gone.
  func deleteObsolete(_ done: @escaping () -> Void = {}) {
    guard shared.stream != nil, !obsolete.isEmpty else { return done() }
    var left = obsolete.count
    for old in obsolete {
      link.request(shared.names.delete(consumer: old, of: shared.name)) { [weak self] reply in
        guard let self else { return }
        let error = JetStreamError(reply)
        if error == nil || error?.number == .consumerNotFound || error?.number == .streamNotFound {
          obsolete.remove(old)
        }
        left -= 1
        guard left == 0 else { return }
        if obsolete.isEmpty { return done() }
        shared.shared.after(Self.second) { [weak self] in self?.deleteObsolete(done) }
      }
    }
  }

  /// The subject is no longer this server's.
  func leave() {
    if generation > 0 {
      // Nobody waits for the answer: with the stream it is gone anyway.
      let name = consumer(generation)
      link.request(shared.names.delete(consumer: name, of: shared.name)) { _ in }
    }
    letGo()
  }

  /// The reader is no longer here, and its consumer stays where it is; calls `done` when NATS has heard
  /// where that is.
  func leave(_ done: @escaping () -> Void) {
    let isNews = hasNews && shared.stream != nil
    let last = newest
    letGo()
    guard isNews else { return done() }
    let reply = link.expect(within: Self.second) { _ in done() }
    link.publish { $0.publish(String(decoding: last, as: UTF8.self), reply: reply, Self.ack) }
  }

  private func letGo() {
    forgetWaiting()
    if generation > 0 { link.detach(generation) }
    hasNews = false
    state = .closed
    attempt += 1
    tellOpen()
    tellClosed()
  }
}
