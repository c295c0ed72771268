internal import FlowNATS
internal import FlowWire

/// The conversation of two servers about one call: numbered lines of the client protocol.
///
/// NATS may lose lines while a server's connection is down. Then a number is missing, or nothing
/// comes for 15 s, and the call fails.
final class CallTalk {
  @safe  // memory 8
  enum Line {
    /// A server has a worker for the call, and asks for it.
    case take
    case request(Int)
    case cancel
    case value(UnsafeRawBufferPointer)
    case done
    case fail(String, String)
    /// A keep-alive.
    case alive
  }

  // memory 3
  @safe private unowned(unsafe) let calls: SharedCalls
  /// The subject on which the other server listens.
  private let peer: String
  /// The subject on which this server listens.
  private let own: String
  private var said: UInt64 = 0
  private var heard: UInt64 = 0
  private var lastSaid: Int64
  private var lastHeard: Int64
  /// Lines that wait for a connection.
  private var unsaid: [[UInt8]] = []

  /// Begins after `heard` lines of the other server.
  init(with peer: String, at own: String, heard: UInt64 = 0, in calls: SharedCalls) {
    self.heard = heard
    self.peer = peer
    self.own = own
    self.calls = calls
    lastSaid = calls.shared.now
    lastHeard = lastSaid
  }

  /// Whether the other server has been silent for too long.
  var isLost: Bool { calls.shared.now - lastHeard >= Self.patience }

  private static let patience: Int64 = 15_000_000_000
  /// The keep-alive period, in nanoseconds.
  private static let period: Int64 = 5_000_000_000

  /// Sends a keep-alive if nothing else was sent in this period.
  func keepAlive() {
    if calls.shared.now - lastSaid >= Self.period { say("ALIVE") }
  }

  func say(_ text: String) { say(Array(text.utf8)) }

  func say(value: UnsafeRawBufferPointer) { unsafe say(Array("= ".utf8) + value) }

  private func say(_ line: [UInt8]) {
    lastSaid = calls.shared.now
    let message = Array("\(said) ".utf8) + line
    said += 1
    if calls.shared.link.isUp { send(message) } else { unsaid.append(message) }
  }

  private func send(_ message: [UInt8]) {
    calls.shared.link.publish { $0.publish(peer, reply: own, message) }
  }

  func linkIsUp() {
    let messages = unsaid
    unsaid.removeAll()
    for message in messages { send(message) }
  }

  /// Parses the next line; nil if an earlier one was lost.
  func hear(_ message: UnsafeRawBufferPointer) -> Line? {
    guard let (count, line) = unsafe Self.read(message), count == heard else { return nil }
    heard += 1
    lastHeard = calls.shared.now
    return line
  }

  /// Parses a line; nil if malformed.
  static func read(_ message: UnsafeRawBufferPointer) -> (count: UInt64, Line)? {
    guard let space = unsafe message.firstIndex(of: 0x20),
      let count = unsafe UInt64(decimal: message[..<space])
    else { return nil }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: message[(space + 1)...])
    if rest.count >= 2, unsafe rest[0] == 0x3D, unsafe rest[1] == 0x20 {
      return unsafe (count, .value(UnsafeRawBufferPointer(rebasing: rest[2...])))
    }
    let words = unsafe String(decoding: rest, as: UTF8.self)
      .split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    switch words.first {
    case "TAKE": return (count, .take)
    case "REQ":
      guard words.count > 1, let more = Int(words[1]), more > 0 else { return nil }
      return (count, .request(more))
    case "CANCEL": return (count, .cancel)
    case "DONE": return (count, .done)
    case "FAIL":
      guard words.count > 1 else { return nil }
      return (count, .fail(words[1], words.count > 2 ? words[2] : ""))
    case "ALIVE": return (count, .alive)
    default: return nil
    }
  }
}
