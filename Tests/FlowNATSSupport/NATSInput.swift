/// Cuts what a client says to NATS into lines, and the messages that it publishes.
package struct NATSInput {
  package enum Item {
    /// Any line but PUB and HPUB.
    case line(String)
    /// The headers are lines, each with its end.
    case message(subject: String, reply: String, headers: String, payload: [UInt8])
  }

  private var bytes: [UInt8] = []

  package init() {}

  package mutating func add(_ more: some Sequence<UInt8>) { bytes += more }

  /// Takes the next item; nil while it is incomplete.
  package mutating func next() -> Item? {
    guard let end = bytes.firstIndex(of: 0x0A) else { return nil }
    let line = String(decoding: bytes[..<end].filter { $0 != 0x0D }, as: UTF8.self)
    let words = line.split(separator: " ").map(String.init)
    let verb = words.first ?? ""
    guard verb == "PUB" || verb == "HPUB" else {
      bytes.removeFirst(end + 1)
      return .line(line)
    }
    let hasHeaders = verb == "HPUB"
    let count = Int(words[words.count - 1]) ?? 0
    let start = end + 1
    guard bytes.count >= start + count + 2 else { return nil }
    let body = bytes[start..<start + count]
    let head = hasHeaders ? Int(words[words.count - 2]) ?? 0 : 0
    let text = String(decoding: body.prefix(head), as: UTF8.self)
      .replacing("NATS/1.0\r\n", with: "")
    let item = Item.message(
      subject: words[1],
      reply: words.count == (hasHeaders ? 5 : 4) ? words[2] : "",
      // Without the empty line behind them; CR LF is one character.
      headers: text.hasSuffix("\r\n\r\n") ? String(text.dropLast(1)) : text,
      payload: Array(body.dropFirst(head))
    )
    bytes.removeFirst(start + count + 2)
    return item
  }
}
