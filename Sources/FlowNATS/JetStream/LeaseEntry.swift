/// Who has a lease.
package struct LeaseEntry: Equatable, Sendable {
  /// The message that says so.
  package let sequence: UInt64
  /// The process that has it.
  package let epoch: String
  /// How many runs that process has.
  package let count: Int

  /// Reads the answer to `findLease`; nil if nobody has it, or it is none of Flow's.
  package init?(_ reply: NATSReply) {
    let message = reply.json["message"]
    guard let sequence = message?["seq"]?.number,
      let bytes = message?["data"]?.text.flatMap(Base64.decode)
    else { return nil }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard words.count == 2, let count = Int(words[1]) else { return nil }
    (self.sequence, epoch, self.count) = (sequence, String(words[0]), count)
  }

  package static func text(epoch: String, count: Int) -> String { "\(epoch) \(count)" }
}
