internal import FlowNATS
internal import FlowWire

/// What two servers say to each other about one call: the lines of a client, each with a count in front.
///
/// NATS may lose what is said while somebody's connection to it is down: then a count is missing, or
/// nothing is heard for 15 s, and the call is lost.
final class CallTalk {
  /// What is said of a call.
  @safe  // memory 8
  enum Line {
    /// A server has a worker for it, and asks whether it may have it.
    case take
    case request(Int)
    case cancel
    case value(UnsafeRawBufferPointer)
    case done
    case fail(String, String)
    /// Nothing but that the other one is there.
    case alive
  }

  // memory 3
  @safe private unowned(unsafe) let calls: SharedCalls
  /// Where the other server is talked to about it.
  private let peer: String
  /// Where this one is.
  private let own: String
  private var said: UInt64 = 0
  private var heard: UInt64 = 0
  private var lastSaid: Int64
  private var lastHeard: Int64
  /// What is to be said when there is a connection again.
  private var unsaid: [[UInt8]] = []

  /// Begins to talk to a server that has said `heard` messages, which were heard.
  init(with peer: String, at own: String, heard: UInt64 = 0, in calls: SharedCalls) {
    self.heard = heard
    self.peer = peer
    self.own = own
    self.calls = calls
    lastSaid = calls.shared.now
    lastHeard = lastSaid
  }

  /// Whether nothing was heard for so long that the other server is gone.
  var isLost: Bool { calls.shared.now - lastHeard >= Self.patience }

  private static let patience: Int64 = 15_000_000_000
  /// How often something is said, in nanoseconds.
  private static let period: Int64 = 5_000_000_000

  /// Says that this server is there, if it has said nothing for a while.
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

  /// Reads what was said; nil if something was said before it that was not heard.
  func hear(_ message: UnsafeRawBufferPointer) -> Line? {
    guard let (count, line) = unsafe Self.read(message), count == heard else { return nil }
    heard += 1
    lastHeard = calls.shared.now
    return line
  }

  /// Reads a message; nil if it is none of these.
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
