/// The answers of one connection, kept in the order of their commands.
///
/// An answer that has to wait holds back the ones behind it, never what their commands do.
struct AnswerQueue {
  private var held: [Entry] = []
  private var nextToken = 1
  /// What can be sent.
  private(set) var ready: [UInt8] = []

  private struct Entry {
    /// The answer that is missing before `octets`.
    var token: Int?
    var octets: [UInt8]
  }

  /// Takes what can be sent.
  mutating func take() -> [UInt8] {
    defer { ready = [] }
    return ready
  }

  /// Whether an answer is being waited for.
  var isHolding: Bool { !held.isEmpty }

  /// Writes octets of the present command's answer.
  mutating func write(_ body: (inout [UInt8]) -> Void) {
    if held.isEmpty {
      body(&ready)
    } else {
      body(&held[held.count - 1].octets)
    }
  }

  /// Keeps the place of an answer that comes later.
  mutating func hold() -> Int {
    defer { nextToken += 1 }
    held.append(Entry(token: nextToken, octets: []))
    return nextToken
  }

  /// Writes the answer for which `token` kept the place.
  mutating func release(_ token: Int, _ body: (inout [UInt8]) -> Void) {
    guard let index = held.firstIndex(where: { $0.token == token }) else { return }
    var octets: [UInt8] = []
    body(&octets)
    held[index].token = nil
    held[index].octets.insert(contentsOf: octets, at: 0)
    while let first = held.first, first.token == nil {
      ready += first.octets
      held.removeFirst()
    }
  }
}
