/// Who has a lease.
package struct LeaseEntry: Equatable, Sendable {
  /// The message that says so.
  package let sequence: UInt64
  /// The process that has it.
  package let epoch: String

  /// Reads the answer to `findLease`; nil if nobody has it, or it is none of Flow's.
  package init?(_ reply: NATSReply) {
    let message = reply.json["message"]
    guard let sequence = message?["seq"]?.place,
      let bytes = message?["data"]?.text.flatMap(Base64.decode),
      let epoch = String(decoding: bytes, as: UTF8.self).split(separator: " ").first
    else { return nil }
    (self.sequence, self.epoch) = (sequence, String(epoch))
  }
}
