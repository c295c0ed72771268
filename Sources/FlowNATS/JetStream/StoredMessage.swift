/// A stored message's identity.
package struct StoredMessage: Equatable, Sendable {
  package let sequence: UInt64
  /// The message id, by which NATS recognizes repetitions.
  package let id: String?
  /// The batch that it was published in, and its place there, from 1.
  package let batch: String?
  package let place: Int

  /// Parses `reply`; nil if there is no message.
  package init?(_ reply: NATSReply) throws(JetStreamError) {
    if let error = JetStreamError(reply) {
      guard error.number == .messageNotFound else { throw error }
      return nil
    }
    guard let message = reply.json["message"], let sequence = message["seq"]?.place else {
      throw .noAnswer
    }
    let headers = message["hdrs"]?.text.flatMap(Base64.decode) ?? []
    var fields: [Substring: Substring] = [:]
    for line in String(decoding: headers, as: UTF8.self).split(separator: "\r\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon]] = line[colon...].dropFirst().drop { $0 == " " }
    }
    self.sequence = sequence
    id = fields["Nats-Msg-Id"].map(String.init)
    batch = fields["Nats-Batch-Id"].map(String.init)
    place = max(1, fields["Nats-Batch-Sequence"].flatMap { UInt64($0) }?.asCount ?? 1)
  }
}
