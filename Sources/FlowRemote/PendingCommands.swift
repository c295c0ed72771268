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

  /// Takes the command that is answered now and the rows it got; `nil` if none waits.
  mutating func take() -> (answer: Answer, rows: [String])? {
    guard let answer = waiting.popFirst() else { return nil }
    defer { rows = [] }
    return (answer, rows)
  }

  /// Takes all that wait, in order.
  mutating func takeAll() -> [Answer] {
    defer { self = PendingCommands() }
    return Array(waiting.elements)
  }
}
