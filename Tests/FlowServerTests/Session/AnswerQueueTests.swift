import Testing

@testable import FlowServer

@Suite("AnswerQueue")
struct AnswerQueueTests {
  @Test("holds back what comes after an answer that waits")
  func holdsBack() {
    var queue = AnswerQueue()
    #expect(!queue.isHolding)
    let first = queue.hold()
    queue.append { $0 += "2".utf8 }
    #expect(queue.isHolding)
    #expect(queue.held == 1)
    #expect(text(queue.release(first) { $0 += "1".utf8 }) == "12")
    #expect(!queue.isHolding)
    #expect(queue.held == 0)
  }

  @Test("gives an answer once")
  func once() {
    var queue = AnswerQueue()
    let first = queue.hold()
    #expect(text(queue.release(first) { $0 += "a".utf8 }) == "a")
    #expect(text(queue.release(first) { $0 += "b".utf8 }) == "")
  }

  @Test("keeps the order whichever answer comes first")
  func keepsOrder() {
    var queue = AnswerQueue()
    let first = queue.hold()
    queue.append { $0 += "b".utf8 }
    let third = queue.hold()
    queue.append { $0 += "d".utf8 }
    #expect(text(queue.release(third) { $0 += "c".utf8 }) == "")
    #expect(text(queue.release(first) { $0 += "a".utf8 }) == "abcd")
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
