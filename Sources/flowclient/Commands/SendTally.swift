import FlowRemote

struct SendTally {
  var sent: UInt64 = 0
  /// The most values that a lost connection may have cost.
  var unconfirmed: UInt64 = 0
  /// Values received, counted once for each subscriber; nil if unknown, as in `missed`.
  var to: UInt64?
  var missed: UInt64?
  /// Values that found no subscriber and were not kept for later ones.
  var nobody: UInt64 = 0

  /// Whether a value is known to have missed a subscriber.
  var isMissed: Bool { nobody > 0 || missed ?? 0 > 0 }

  /// A summary such as `sent 3, missed 1`.
  var text: String {
    let text = "sent \(sent), missed \(missed ?? 0)"
    guard nobody > 0 else { return text }
    return "\(text); nobody was there\(nobody < sent ? " for \(nobody) of them" : "")"
  }

  /// Adds the figures of an answer to `SEND`, or to the `DONE` of a publication.
  mutating func add(_ answer: RemoteAnswer) {
    func field(_ name: String) -> UInt64? { answer.field(name).flatMap { UInt64($0) } }
    guard let to = field("to"), let missed = field("missed") else { return }
    self.to = (self.to ?? 0) &+ to
    self.missed = (self.missed ?? 0) &+ missed
    nobody &+= field("nobody") ?? (to == 0 && missed == 0 ? 1 : 0)
  }
}
