import FlowRemote
import Synchronization

/// The results of a `send`.
final class SendTally: Sendable {
  struct Counts {
    var sent: UInt64 = 0
    /// The most values that a lost connection may have cost.
    var unconfirmed: UInt64 = 0
    /// The number of values received and missed, counted once for each subscriber; nil if unknown.
    var to: UInt64?
    var missed: UInt64?
    /// The number of values that found no subscriber and were not kept for later ones.
    var nobody: UInt64 = 0

    /// Whether a value is known not to have reached a subscriber.
    var isMissed: Bool { nobody > 0 || missed ?? 0 > 0 }

    /// `sent 3, missed 1`, and how many values found no subscriber.
    var text: String {
      let text = "sent \(sent), missed \(missed ?? 0)"
      guard nobody > 0 else { return text }
      return "\(text); nobody was there\(nobody < sent ? " for \(nobody) of them" : "")"
    }
  }

  private let state = Mutex(Counts())

  var counts: Counts { state.withLock { $0 } }

  func add(_ sent: UInt64, unconfirmed: UInt64 = 0) {
    state.withLock { counts in
      counts.sent += sent
      counts.unconfirmed += unconfirmed
    }
  }

  /// Adds what the answer to a `SEND`, or to the `DONE` of a publication, says.
  func add(_ answer: RemoteAnswer) {
    func field(_ name: String) -> UInt64? { answer.field(name).flatMap { UInt64($0) } }
    guard let to = field("to"), let missed = field("missed") else { return }
    state.withLock { counts in
      counts.to = (counts.to ?? 0) &+ to
      counts.missed = (counts.missed ?? 0) &+ missed
      counts.nobody &+= field("nobody") ?? (to == 0 && missed == 0 ? 1 : 0)
    }
  }

  /// Forgets that values found no subscriber: the subject keeps them for later ones.
  func valuesAreKept() { state.withLock { $0.nobody = 0 } }
}
