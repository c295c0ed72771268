/// A SEND, or a line of a FEED, that waits for room on a `flow=slowest` subject.
final class WaitingSend {
  enum Result {
    case sent(to: Int, missed: Int)
    case refused(code: String, text: String)
  }

  let value: [UInt8]
  private var answer: ((WaitingSend, Result) -> Void)?

  /// Makes one whose end `answer` is told, once.
  init(value: [UInt8], answer: @escaping (WaitingSend, Result) -> Void) {
    self.value = value
    self.answer = answer
  }

  var isOver: Bool { answer == nil }

  func end(_ result: Result) {
    let answer = answer
    self.answer = nil
    answer?(self, result)
  }

  /// Ends it unanswered: the client is gone.
  func abandon() { answer = nil }
}

/// The SENDs that wait at one subject, first come, first served.
struct WaitingSends {
  private var sends: [WaitingSend] = []
  private var head = 0

  var isEmpty: Bool { head == sends.count }
  var count: Int { sends.count - head }

  mutating func append(_ send: WaitingSend) { sends.append(send) }

  mutating func popFirst() -> WaitingSend? {
    guard head < sends.count else { return nil }
    let send = sends[head]
    head += 1
    if head > 32, head * 2 > sends.count {
      sends.removeFirst(head)
      head = 0
    }
    return send
  }

  mutating func remove(_ send: WaitingSend) {
    sends.removeFirst(head)
    head = 0
    sends.removeAll { $0 === send }
  }

  /// What those take whose clients are gone.
  var abandonedOctets: Int {
    sends[head...].reduce(0) { $1.isOver ? $0 + 64 + $1.value.count : $0 }
  }

  /// Takes out those whose clients are gone; returns how many those were.
  mutating func removeAbandoned() -> Int {
    let before = count
    sends.removeFirst(head)
    head = 0
    sends.removeAll(where: \.isOver)
    return before - count
  }

  /// Takes all of them out.
  mutating func removeAll() -> [WaitingSend] {
    defer {
      sends.removeAll()
      head = 0
    }
    return Array(sends[head...])
  }
}
