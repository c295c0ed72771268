internal import FlowNATS

/// The right to run something on this server and no other, for as long as NATS hears of it.
///
/// It is a message that is gone after 10 s: whoever stores one where none is has the lease, and renews
/// it every 3 s by comparison. Whoever has not heard for 7 s that it was renewed lets go. Where somebody
/// waits for it, it is asked for four times a second, and known after 12 s at most that others have it.
///
/// NATS keeps leases in memory and loses them when it restarts. So on each new connection a holder has its lease
/// confirmed before it reads anything.
final class Lease {
  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubjects
  private let name: String
  /// Called with true when the lease is acquired, or confirmed on a new connection; with false when it is lost.
  private let changed: (Bool) -> Void
  /// Called when others are found to have it, and to renew it.
  private let isElsewhere: (() -> Void)?
  /// Its last message that was another's, and since when others have it.
  private var seen: UInt64?
  private var elsewhereSince: Int64?
  /// Its last message, while it is had.
  private var sequence: UInt64?
  /// A message of this process of which it has not heard, or that it had before NATS was silent.
  private var former: UInt64?
  /// When the last renewal was sent, and on which connection to NATS, counted from 1.
  private var renewed: Int64 = 0
  private var connection = 0
  /// The connection on which it was last asked for.
  private var asked = 0
  private var isWanted = false
  /// Counts what was begun, so that what comes late is known as such.
  private var attempt = 0

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
  }

  /// Whether it is had at this moment.
  var isHeld: Bool {
    sequence != nil && !isLate && connection == shared.counters.connections
  }

  private var isLate: Bool { shared.now - renewed >= Self.patience }

  /// Has it taken whenever nobody has it.
  func start() {
    guard !isWanted else { return }
    isWanted = true
    ask()
  }

  /// Asks for it at once on a new connection: another server may have taken it while NATS was away.
  func linkIsUp() {
    if asked != shared.counters.connections { ask() }
  }

  /// Gives it back.
  func stop() {
    isWanted = false
    attempt += 1
    former = nil
    guard let sequence else { return }
    self.sequence = nil
    // Nobody else's: that would have another sequence.
    shared.give(back: sequence)
  }

  private func ask() {
    guard isWanted else { return }
    attempt += 1
    asked = shared.counters.connections
    let (attempt, sent) = (attempt, (time: shared.now, connection: shared.counters.connections))
    shared.leases { [weak self] isThere in
      guard let self, self.attempt == attempt else { return }
      guard isThere, shared.link.isUp else { return askLater(Self.second) }
      let reply = shared.link.expect(within: 2 * Self.second) { [weak self, shared] reply in
        let answer = PublishAnswer(reply)
        if let self, self.attempt == attempt { return answered(answer, sent) }
        // It was stopped meanwhile.
        if case .stored(let sequence) = answer { shared.give(back: sequence) }
      }
      shared.link.publish {
        $0.publish(
          shared.names.lease(name),
          reply: reply,
          headers: PublishHeaders.after(former ?? sequence ?? 0),
          Array(shared.link.epoch.utf8)
        )
      }
    }
  }

  private func answered(_ answer: PublishAnswer, _ sent: (time: Int64, connection: Int)) {
    let was = sequence != nil && connection == sent.connection
    switch answer {
    case .stored(let sequence):
      self.sequence = sequence
      former = nil
      (renewed, connection) = (sent.time, sent.connection)
      seen = nil
      elsewhereSince = nil
      if !was { changed(true) }
      askLater(Self.period)
    case .preceded(let last): look(last)
    case .full, .noStorage, .repeated, .unknown:
      shared.leasesMayBeGone()
      askLater(Self.second / 2)
    }
  }

  /// Looks whose the last message is: it may be this process's own, which has not heard of it.
  private func look(_ last: UInt64?) {
    let attempt = attempt
    shared.link.request(shared.names.findLease(name), within: Self.second) { [weak self] reply in
      guard let self, self.attempt == attempt else { return }
      guard !reply.isMissing else { return askLater(Self.second / 2) }
      let entry = LeaseEntry(reply)
      let wasOwn = former != nil || sequence != nil
      former = entry?.epoch == shared.link.epoch ? entry?.sequence : nil
      if former != nil { return ask() }
      lose()
      former = nil
      if entry == nil, wasOwn { return ask() }
      askLater(isElsewhere == nil ? Self.period : Self.second / 4)
      findElsewhere(last)
    }
  }

  /// Tells that others have it, and not only had it when they died.
  private func findElsewhere(_ last: UInt64?) {
    guard let isElsewhere else { return }
    let since = elsewhereSince ?? shared.now
    elsewhereSince = since
    let isRenewed = seen != nil && last != nil && seen != last
    seen = last
    if isRenewed || shared.now - since > Self.longest { isElsewhere() }
  }

  private func askLater(_ delay: Int64) {
    loseIfLate()
    let attempt = attempt
    shared.after(delay) { [weak self] in
      if let self, self.attempt == attempt { ask() }
    }
    guard sequence != nil else { return }
    // Looked at in time, whatever becomes of the next message.
    let left = max(1, renewed + Self.patience - shared.now)
    shared.after(left) { [weak self] in self?.loseIfLate() }
  }

  private func loseIfLate() {
    if sequence != nil, isLate { lose() }
  }

  private func lose() {
    guard let sequence else { return }
    former = sequence
    self.sequence = nil
    changed(false)
  }

  private static let second: Int64 = 1_000_000_000
  /// How often it is renewed, or asked for.
  private static let period = 3 * second
  /// How long nobody can have one that is not renewed, in nanoseconds.
  static let longest = 12 * second
  /// How long it is had without an answer.
  private static let patience = 7 * second
}
