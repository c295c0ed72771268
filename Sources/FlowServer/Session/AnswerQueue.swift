/// The waiting answers of one connection, in the order of their commands.
///
/// An answer that comes later delays the answers behind it, but not their commands.
struct AnswerQueue {
  private var entries: [Entry] = []
  private var lastToken: UInt32 = 0
  private var heldBytes: UInt32 = 0

  private struct Entry {
    /// Identifies the missing answer before `bytes`.
    var token: UInt32?
    var bytes: [UInt8]
  }

  /// How many bytes wait behind missing answers.
  private(set) var held: Int {
    get { Int(heldBytes) }
    set { heldBytes = UInt32(newValue) }
  }

  /// Whether an answer is missing, so that later ones must be appended.
  var isHolding: Bool { !entries.isEmpty }

  mutating func append(_ body: (inout [UInt8]) -> Void) {
    let last = entries.count - 1
    held -= entries[last].bytes.count
    body(&entries[last].bytes)
    held += entries[last].bytes.count
  }

  /// Reserves the place of an answer that comes later.
  mutating func hold() -> UInt32 {
    lastToken &+= 1
    entries.append(Entry(token: lastToken, bytes: []))
    return lastToken
  }

  /// Fills the place of `token`; returns all bytes that can be sent now.
  mutating func release(_ token: UInt32, _ body: (inout [UInt8]) -> Void) -> [UInt8] {
    guard let index = entries.firstIndex(where: { $0.token == token }) else { return [] }
    var bytes: [UInt8] = []
    body(&bytes)
    held += bytes.count
    entries[index].token = nil
    entries[index].bytes.insert(contentsOf: bytes, at: 0)
    var ready: [UInt8] = []
    while let first = entries.first, first.token == nil {
      ready += first.bytes
      held -= first.bytes.count
      entries.removeFirst()
    }
    return ready
  }
}
