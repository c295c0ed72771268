/// A message that NATS sends to whoever listens.
package struct NATSOutput {
  /// The subject that is listened to.
  package let target: String
  /// The subject that the message says it is of, which for stored messages is where they were published.
  package let subject: String
  package let reply: String
  /// The header lines with the empty one behind them; empty if there are none.
  package let headers: String
  package let payload: [UInt8]

  package init(
    to target: String,
    as subject: String? = nil,
    reply: String = "",
    headers: String = "",
    payload: [UInt8] = []
  ) {
    self.target = target
    self.subject = subject ?? target
    self.reply = reply
    self.headers = headers
    self.payload = payload
  }

  /// The server's own word.
  package static func status(_ text: String, to target: String) -> NATSOutput {
    NATSOutput(to: target, headers: "NATS/1.0 \(text)\r\n\r\n")
  }

  /// The bytes for the subscription of this number.
  package func bytes(for number: String) -> [UInt8] {
    let (head, count) = (headers.utf8.count, payload.count)
    let hasHeaders = head > 0
    let place = reply.isEmpty ? "" : "\(reply) "
    let counts = hasHeaders ? "\(head) \(head + count)" : "\(count)"
    let line = "\(hasHeaders ? "HMSG" : "MSG") \(subject) \(number) \(place)\(counts)\r\n"
    return Array((line + headers).utf8) + payload + Array("\r\n".utf8)
  }
}
