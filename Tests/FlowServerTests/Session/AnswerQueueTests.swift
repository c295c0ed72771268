import Testing

@testable import FlowServer

@Suite("AnswerQueue")
struct AnswerQueueTests {
  @Test("writes at once while nothing is held")
  func writesAtOnce() {
    var queue = AnswerQueue()
    queue.write { $0 += "a".utf8 }
    queue.write { $0 += "b".utf8 }
    #expect(text(queue.take()) == "ab")
    #expect(text(queue.take()) == "")
  }

  @Test("holds back what comes after an answer that waits")
  func holdsBack() {
    var queue = AnswerQueue()
    queue.write { $0 += "1".utf8 }
    let second = queue.hold()
    queue.write { $0 += "3".utf8 }
    #expect(text(queue.take()) == "1")
    #expect(queue.isHolding)
    queue.release(second) { $0 += "2".utf8 }
    #expect(text(queue.take()) == "23")
    #expect(!queue.isHolding)
  }

  @Test("keeps the order whichever answer comes first")
  func keepsOrder() {
    var queue = AnswerQueue()
    let first = queue.hold()
    queue.write { $0 += "b".utf8 }
    let third = queue.hold()
    queue.write { $0 += "d".utf8 }
    queue.release(third) { $0 += "c".utf8 }
    #expect(text(queue.take()) == "")
    queue.release(first) { $0 += "a".utf8 }
    #expect(text(queue.take()) == "abcd")
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
