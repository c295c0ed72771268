internal import FlowCore
internal import FlowNATS
internal import FlowSubjects

// Closing an inlet: the last acknowledgements, and the deletion of consumers.
extension Inlet {
  /// Purges values that nobody else needs, then deletes the consumer; waits while NATS is away, but not
  /// for a stream that is lost.
  func finishClosing(tries: Int = 10) {
    guard shared.stream != nil else {
      if shared.loss?.isWhole == true { deleteConsumers() }
      return
    }
    acks.giveUp()
    let last = unsafe acks.newest.withUnsafeBytes { unsafe AckSubject($0, 0..<$0.count)?.sequence }
    if let last { for name in state.obsolete { shared.room.goneOut[name] = last } }
    shared.room.checkReaders(
      ifCurrent { inlet, rows in
        guard rows == nil, tries > 0 else { return inlet.deleteConsumers() }
        let again = inlet.ifCurrent { (inlet: Inlet) in inlet.finishClosing(tries: tries - 1) }
        inlet.shared.shared.after(100_000_000, again)
      }
    )
  }

  /// Whether the last subscription has left and NATS does not have its position yet.
  var isBeingLeft: Bool {
    acknowledges && subject.outletCount == 0 && !isClosed && shared.stream != nil
  }

  /// Calls `done` when the inlet is closed or others read.
  func whenLeft(_ done: @escaping () -> Void) { whenClosed.add { _ in done() } }

  func forgetWaiting() {
    let old = publication
    publication = nil
    _ = old?.dropHeld()
    backlog = InletBacklog()
    acks.leaveOut(nil)
    pulls.forget()
    pulls.lag(false, since: now)
    subject.setWaiting(elsewhere: false)
  }

  /// Deletes obsolete consumers until NATS confirms it.
  func deleteObsolete(_ done: @escaping () -> Void) {
    let obsolete = state.obsolete
    guard shared.stream != nil, !obsolete.isEmpty else { return done() }
    var left = obsolete.count
    for old in obsolete.sorted() {
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
