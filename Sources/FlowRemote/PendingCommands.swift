internal import FlowCore

/// The commands that wait for their answers, which come in order.
struct PendingCommands {
  typealias Answer = (Result<RemoteAnswer, RemoteError>) -> Void

  private var waiting = Fifo<Answer>()
  private var rows: [String] = []

  mutating func await(_ answer: @escaping Answer) {
    waiting.append(answer)
  }

  mutating func add(row: String) {
    rows.append(row)
  }

  /// Removes the command that is answered now, with its rows; `nil` if none waits.
  mutating func take() -> (answer: Answer, rows: [String])? {
    guard let answer = waiting.popFirst() else { return nil }
    defer { rows = [] }
    return (answer, rows)
  }

  /// Removes all waiting commands, in order.
  mutating func takeAll() -> [Answer] {
    defer { self = PendingCommands() }
    return Array(waiting.elements)
  }
}
