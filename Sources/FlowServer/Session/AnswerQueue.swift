/// The answers of one connection, kept in the order of their commands.
///
/// An answer that has to wait holds back the ones behind it, never what their commands do.
struct AnswerQueue {
  private var entries: [Entry] = []
  private var nextToken = 1
  /// What can be sent.
  private(set) var ready: [UInt8] = []

  private struct Entry {
    /// The answer that is missing before `octets`.
    var token: Int?
    var octets: [UInt8]
  }

  /// The octets that wait for an answer before them.
  private(set) var held = 0

  /// The octets that it has.
  var octets: Int { held + ready.count }

  /// Takes what can be sent.
  mutating func take() -> [UInt8] {
    defer { ready = [] }
    return ready
  }

  /// Whether an answer is being waited for.
  var isHolding: Bool { !entries.isEmpty }

  /// Writes octets of the present command's answer.
  mutating func write(_ body: (inout [UInt8]) -> Void) {
    if entries.isEmpty {
      body(&ready)
    } else {
      let last = entries.count - 1
      held -= entries[last].octets.count
      body(&entries[last].octets)
      held += entries[last].octets.count
    }
  }

  /// Keeps the place of an answer that comes later.
  mutating func hold() -> Int {
    defer { nextToken += 1 }
    entries.append(Entry(token: nextToken, octets: []))
    return nextToken
  }

  /// Writes the answer for which `token` kept the place.
  mutating func release(_ token: Int, _ body: (inout [UInt8]) -> Void) {
    guard let index = entries.firstIndex(where: { $0.token == token }) else { return }
    var octets: [UInt8] = []
    body(&octets)
    held += octets.count
    entries[index].token = nil
    entries[index].octets.insert(contentsOf: octets, at: 0)
    while let first = entries.first, first.token == nil {
      ready += first.octets
      held -= first.octets.count
      entries.removeFirst()
    }
  }
}
