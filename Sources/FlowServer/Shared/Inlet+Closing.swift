internal import FlowCore
internal import FlowNATS
internal import FlowSubjects

// How an inlet is given up: what went out is acknowledged, and consumers are deleted.
extension Inlet {
  /// Has purged what has gone out and nobody else needs, and then the consumer deleted; while NATS is away that
  /// waits.
  func finishClosing(tries: Int = 10) {
    guard shared.stream != nil else { return }
    acks.giveUp()
    let last = unsafe acks.newest.withUnsafeBytes { unsafe AckSubject($0, 0..<$0.count)?.sequence }
    if let last { for name in state.obsolete { shared.room.goneOut[name] = last } }
    shared.room.look(
      ifCurrent { inlet, rows in
        guard rows == nil, tries > 0 else { return inlet.deleteConsumers() }
        let again = inlet.ifCurrent { (inlet: Inlet) in inlet.finishClosing(tries: tries - 1) }
        inlet.shared.shared.after(100_000_000, again)
      }
    )
  }

  /// Whether the last subscription has left, and NATS does not know yet what that has had.
  var isBeingLeft: Bool {
    acknowledges && subject.outletCount == 0 && !isClosed && shared.stream != nil
  }

  /// Calls `done` when it is closed, or goes on for others.
  func whenLeft(_ done: @escaping () -> Void) { whenClosed.add { _ in done() } }

  func forgetWaiting() {
    let old = publication
    publication = nil
    _ = old?.giveUp()
    backlog = InletBacklog()
    acks.leaveOut(nil)
    pulls.forget()
    pulls.lag(false, since: now)
    subject.setWaiting(elsewhere: false)
  }

  /// Deletes what was left behind, again until NATS says that it is gone.
  func deleteObsolete(_ done: @escaping () -> Void) {
    let obsolete = state.obsolete
    guard shared.stream != nil, !obsolete.isEmpty else { return done() }
    var left = obsolete.count
    for old in obsolete {
      link.request(shared.names.delete(consumer: old, of: shared.name)) { [weak self] reply in
        guard let self else { return }
        let error = JetStreamError(reply)
        if error == nil || error?.number == .consumerNotFound || error?.number == .streamNotFound {
          state.obsolete.remove(old)
        }
        left -= 1
        guard left == 0 else { return }
        if state.obsolete.isEmpty { return done() }
        shared.shared.after(Self.second) { [weak self] in self?.deleteObsolete(done) }
      }
    }
  }
}
