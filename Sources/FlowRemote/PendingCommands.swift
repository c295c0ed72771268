/// The commands that wait for their answers, which come in order.
struct PendingCommands {
  typealias Answer = (Result<RemoteAnswer, RemoteError>) -> Void

  private var waiting: [Answer] = []
  private var first = 0
  private var rows: [String] = []

  mutating func await(_ answer: @escaping Answer) {
    waiting.append(answer)
  }

  mutating func add(row: String) {
    rows.append(row)
  }

  /// Takes the command that is answered now and the rows it got; `nil` if none waits.
  mutating func take() -> (answer: Answer, rows: [String])? {
    guard first < waiting.count else { return nil }
    let answer = waiting[first]
    first += 1
    if first == waiting.count || first >= 1024 {
      waiting.removeFirst(first)
      first = 0
    }
    defer { rows = [] }
    return (answer, rows)
  }

  /// Takes all that wait, in order.
  mutating func takeAll() -> [Answer] {
    defer { self = PendingCommands() }
    return Array(waiting[first...])
  }
}
