package struct LeaseEntry: Equatable, Sendable {
  /// The sequence of the message that grants it.
  package let sequence: UInt64
  /// The process that owns it.
  package let epoch: String

  /// Parses the answer to `findLease`; nil if there is no lease, or it is malformed.
  package init?(_ reply: NATSReply) {
    let message = reply.json["message"]
    guard let sequence = message?["seq"]?.place,
      let bytes = message?["data"]?.text.flatMap(Base64.decode),
      let epoch = String(decoding: bytes, as: UTF8.self).split(separator: " ").first
    else { return nil }
    (self.sequence, self.epoch) = (sequence, String(epoch))
  }
}
