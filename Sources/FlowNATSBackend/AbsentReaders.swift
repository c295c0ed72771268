internal import FlowNATS
internal import FlowServer

/// Deletes consumers of processes that are gone, so that they do not hold up publishers.
final class AbsentReaders {
  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubject
  /// For each process: since when NATS has had no sign of it, and when that was last seen.
  private var absences: [String: (since: Int64, last: Int64)] = [:]
  private var isAsking = false
  private var asked = Int64.min / 2

  init(_ shared: SharedSubject) { self.shared = shared }

  private static let second: Int64 = 1_000_000_000

  /// Deletes consumers of processes that have been gone for long; asks NATS once a second at most.
  func delete(among rows: [ConsumerPage.Row]) {
    let now = shared.shared.now
    guard !isAsking, now - asked >= Self.second else { return }
    asked = now
    absences = absences.filter { now - $0.value.last < 3 * Self.second }
    let epoch = shared.link.epoch
    let others = rows.filter { $0.epochOfSubscriptions != epoch }
    isAsking = true
    // After this time another server can take the leases of a dead one.
    delete(others[...], goneFor: LeaseState.longest) { [weak self] in self?.isAsking = false }
  }

  /// Deletes consumers of a former process at this address, then calls `done`.
  func deleteLeftHere(among rows: [ConsumerPage.Row], _ done: @escaping () -> Void) {
    let place = shared.engine.place
    let epoch = shared.link.epoch
    let old = rows.filter { $0.server == place && $0.epochOfSubscriptions != epoch }
    delete(old[...], goneFor: 0, done)
  }

  private func delete(
    _ rows: ArraySlice<ConsumerPage.Row>,
    goneFor patience: Int64,
    _ done: @escaping () -> Void
  ) {
    guard let row = rows.first else { return done() }
    let (names, link) = (shared.names, shared.link)
    let deleteNext = { [weak self] in
      if let self { delete(rows.dropFirst(), goneFor: patience, done) } else { done() }
    }
    guard let epoch = row.epochOfSubscriptions else { return deleteNext() }
    link.request(names.isThere(epoch), within: Self.second) { [weak self] reply in
      guard let self, hasBeenGone(epoch, reply, for: patience) else { return deleteNext() }
      link.request(names.delete(consumer: row.name, of: shared.name)) { _ in deleteNext() }
    }
  }

  private func hasBeenGone(_ epoch: String, _ reply: NATSReply, for patience: Int64) -> Bool {
    guard reply.status?.code == 503 else {
      absences[epoch] = nil
      return false
    }
    let now = shared.shared.now
    let since = absences[epoch]?.since ?? now
    absences[epoch] = (since, now)
    return now - since >= patience
  }
}
