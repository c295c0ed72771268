internal import FlowLanguage

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
  private var sends = Fifo<WaitingSend>()

  var isEmpty: Bool { sends.isEmpty }
  var count: Int { sends.count }

  mutating func append(_ send: WaitingSend) { sends.append(send) }

  mutating func popFirst() -> WaitingSend? { sends.popFirst() }

  mutating func remove(_ send: WaitingSend) { sends.removeAll { $0 === send } }

  /// What those take whose clients are gone.
  var abandonedBytes: Int {
    sends.elements.reduce(0) { $1.isOver ? $0 + 64 + $1.value.count : $0 }
  }

  /// Takes out those whose clients are gone; returns how many those were.
  mutating func removeAbandoned() -> Int {
    let before = count
    sends.removeAll(where: \.isOver)
    return before - count
  }

  /// Takes all of them out.
  mutating func removeAll() -> [WaitingSend] {
    defer { sends.removeAll() }
    return Array(sends.elements)
  }
}
