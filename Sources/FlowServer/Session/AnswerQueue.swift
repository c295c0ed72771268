/// The answers of one connection, kept in the order of their commands.
///
/// An answer that has to wait holds back the ones behind it, never what their commands do.
struct AnswerQueue {
  private var entries: [Entry] = []
  /// What can be sent.
  private(set) var ready: [UInt8] = []
  private var lastToken: UInt32 = 0
  private var heldBytes: UInt32 = 0

  private struct Entry {
    /// The answer that is missing before `bytes`.
    var token: UInt32?
    var bytes: [UInt8]
  }

  /// The bytes that wait for an answer before them.
  private(set) var held: Int {
    get { Int(heldBytes) }
    set { heldBytes = UInt32(newValue) }
  }

  /// The bytes that it has.
  var bytes: Int { held + ready.count }

  /// Takes what can be sent.
  mutating func take() -> [UInt8] {
    defer { ready = [] }
    return ready
  }

  /// Whether an answer is being waited for.
  var isHolding: Bool { !entries.isEmpty }

  /// Writes bytes of the present command's answer.
  mutating func write(_ body: (inout [UInt8]) -> Void) {
    if entries.isEmpty {
      body(&ready)
    } else {
      let last = entries.count - 1
      held -= entries[last].bytes.count
      body(&entries[last].bytes)
      held += entries[last].bytes.count
    }
  }

  /// Keeps the place of an answer that comes later.
  mutating func hold() -> UInt32 {
    lastToken &+= 1
    entries.append(Entry(token: lastToken, bytes: []))
    return lastToken
  }

  /// Writes the answer for which `token` kept the place.
  mutating func release(_ token: UInt32, _ body: (inout [UInt8]) -> Void) {
    guard let index = entries.firstIndex(where: { $0.token == token }) else { return }
    var bytes: [UInt8] = []
    body(&bytes)
    held += bytes.count
    entries[index].token = nil
    entries[index].bytes.insert(contentsOf: bytes, at: 0)
    while let first = entries.first, first.token == nil {
      ready += first.bytes
      held -= first.bytes.count
      entries.removeFirst()
    }
  }
}
