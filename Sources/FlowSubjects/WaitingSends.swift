internal import FlowCore
package import FlowWire

/// A SEND, or a line of a FEED, that waits for credit on a `flow=slowest` subject.
package final class WaitingSend {
  package enum Result {
    case sent(to: Int, missed: Int)
    case refused(ErrorCode, String)
  }

  package let value: [UInt8]
  private(set) var sender: (any ValueSender)?
  private var answer: ((WaitingSend, Result) -> Void)?

  /// Makes one of a value of `sender`; `answer` is told its end, once.
  package init(
    value: [UInt8],
    from sender: (any ValueSender)? = nil,
    answer: @escaping (WaitingSend, Result) -> Void
  ) {
    self.value = value
    self.sender = sender
    self.answer = answer
  }

  package var isOver: Bool { answer == nil }

  package func end(_ result: Result) {
    let answer = answer
    self.answer = nil
    sender = nil
    answer?(self, result)
  }

  /// Ends a line of a FEED unanswered: the client is gone.
  ///
  /// The line still goes out.
  package func abandon() {
    answer = nil
    sender = nil
  }
}

/// The SENDs that wait at one subject, first come, first served.
package struct WaitingSends {
  private var sends = Fifo<WaitingSend>()

  package var isEmpty: Bool { sends.isEmpty }
  package var count: Int { sends.count }

  package mutating func append(_ send: WaitingSend) { sends.append(send) }

  package mutating func popFirst() -> WaitingSend? { sends.popFirst() }

  package mutating func remove(_ send: WaitingSend) { sends.removeAll { $0 === send } }

  /// What those take whose clients are gone.
  package var abandonedBytes: Int {
    sends.elements.reduce(0) { $1.isOver ? $0 + 64 + $1.value.count : $0 }
  }

  /// Takes out those whose clients are gone; returns how many those were.
  package mutating func removeAbandoned() -> Int {
    let before = count
    sends.removeAll(where: \.isOver)
    return before - count
  }

  /// Takes all of them out.
  package mutating func removeAll() -> [WaitingSend] {
    Array(sends.takeAll().elements)
  }
}
