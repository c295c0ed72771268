internal import FlowNATS

/// The right to run something on only one server, renewed in NATS.
///
/// A lease is a message that NATS removes after 10 s. The server that stores one where there is
/// none holds the lease. It renews it every 3 s with a compare-and-set, and gives up after 7 s
/// without a confirmation. A waiting server tries four times a second, and knows after 12 s at most
/// that another one holds it.
///
/// NATS keeps leases in memory and loses them at a restart. Therefore a holder has its lease
/// confirmed on each new connection before it reads.
final class Lease: Retrying {
  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubjects
  private let name: String
  /// Called with true when the lease is acquired or confirmed again, with false when it is lost.
  private let changed: (Bool) -> Void
  /// Called when another server holds it.
  private let isElsewhere: (() -> Void)?
  private var state: LeaseState
  var retry: Retry { state.retry }

  init(
    _ name: String,
    in shared: SharedSubjects,
    isElsewhere: (() -> Void)? = nil,
    _ changed: @escaping (Bool) -> Void
  ) {
    self.name = name
    self.shared = shared
    self.isElsewhere = isElsewhere
    self.changed = changed
    state = LeaseState(isAwaited: isElsewhere != nil)
  }

  var isHeld: Bool { state.isHeld(at: now) }

  private var now: LeaseState.Moment {
    LeaseState.Moment(time: shared.now, connection: shared.counters.connections)
  }

  /// Acquires the lease as soon as it is free.
  func start() { perform(state.start(now)) }

  func linkIsUp() { perform(state.linkIsUp(now)) }

  /// Releases the lease.
  func stop() { perform(state.stop()) }

  private func perform(_ steps: [LeaseState.Step]) { for step in steps { perform(step) } }

  private func perform(_ step: LeaseState.Step) {
    switch step {
    case .findStream:
      shared.openStream(
        JetStream.leases,
        shared.names.createLeases,
        ifCurrent { lease, isThere in
          let isUsable = isThere && lease.shared.link.isUp
          lease.perform(lease.state.streamIsKnown(isUsable, lease.now))
        }
      )
    case .publish(let sequence): publish(after: sequence)
    case .findHolder(let last):
      let request = shared.names.findLease(name)
      let found = ifCurrent { (lease: Lease, reply: NATSReply) in
        lease.perform(lease.state.found(lease.holder(reply), last: last, lease.now))
      }
      shared.link.request(request, within: 1_000_000_000, found)
    case .wait(let nanoseconds):
      shared.after(nanoseconds, ifCurrent { $0.perform($0.state.timeIsUp($0.now)) })
    case .watchAge(let nanoseconds):
      shared.after(nanoseconds) { [weak self] in
        guard let self else { return }
        perform(state.checkAge(now))
      }
    case .notify(let isHeld): changed(isHeld)
    case .notifyElsewhere: isElsewhere?()
    // The sequence ensures that no other server's message is deleted.
    case .giveBack(let sequence): shared.give(back: sequence)
    case .doubtStream: shared.streamMayBeGone(JetStream.leases)
    }
  }

  private func publish(after sequence: UInt64) {
    let attempt = retry.attempt
    let reply = shared.link.expect(within: 2_000_000_000) { [weak self, shared] reply in
      let answer = PublishAnswer(reply)
      if let self, retry.attempt == attempt { return perform(state.answered(answer, now)) }
      // The lease was stopped meanwhile.
      if case .stored(let sequence) = answer { shared.give(back: sequence) }
    }
    let headers = PublishHeaders.after(sequence)
    let epoch = Array(shared.link.epoch.utf8)
    shared.link.publish {
      $0.publish(shared.names.lease(name), reply: reply, headers: headers, epoch)
    }
  }

  private func holder(_ reply: NATSReply) -> LeaseState.Holder {
    guard !reply.isMissing else { return .unknown }
    guard let entry = LeaseEntry(reply) else { return .nobody }
    return entry.epoch == shared.link.epoch ? .this(entry.sequence) : .other
  }
}
