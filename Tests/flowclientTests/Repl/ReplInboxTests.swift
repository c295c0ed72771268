import FlowWire
import Testing

@testable import flowclient

@Suite("The prompt's inbox")
struct ReplInboxTests {
  private func value(_ text: String, on id: String = "1") -> ReplInbox.Item {
    .value(Array("= \(id) \(text)".utf8), payloadStart: 3 + id.utf8.count)
  }

  private func texts(_ items: [ReplInbox.Item]) -> [String] {
    items.map { item in
      switch item {
      case .value(let line, _): String(decoding: line, as: UTF8.self)
      case .line(let text), .trace(let text, _): text
      case .ended: "ended"
      }
    }
  }

  private let inbox = ReplInbox(SystemSurroundings().platform) {}

  @Test("silence drops waiting items, and those that come before the server's answer")
  func silence() {
    for number in 1...300 { inbox.add(value("\(number)")) }
    inbox.add(value("other", on: "12"))
    inbox.add(.line("* a row"))
    inbox.add(.line("OK sub 12 b demand=1"))
    #expect(inbox.isFlooded && !inbox.isSilenced)
    inbox.silence(Silence(of: [StreamID(rawValue: 1)]))
    #expect(!inbox.isFlooded && inbox.isSilenced)
    for number in 1...50 { inbox.add(value("\(number)")) }
    inbox.add(.value(Array("= 1".utf8), payloadStart: 3))
    inbox.add(value("more", on: "12"))
    inbox.add(.line("OK cancel 1 values=351 missed=0 undelivered=0"))
    inbox.add(.line("* a late row"))
    inbox.add(.line("@_stop PONG"))
    // Answers to later commands are shown even before `endSilence`.
    inbox.add(.line("* a row of the next command"))
    #expect(
      texts(inbox.take()) == [
        "= 12 other", "OK sub 12 b demand=1", "= 12 more",
        "OK cancel 1 values=351 missed=0 undelivered=0", "@_stop PONG",
        "* a row of the next command",
      ]
    )
    #expect(inbox.endSilence() == 351)
    inbox.add(value("new"))
    #expect(texts(inbox.take()) == ["= 1 new"])
  }

  @Test("the calls of a worker that is stopped are not shown")
  func calls() {
    inbox.silence(Silence(of: [StreamID(rawValue: 1)]))
    inbox.add(value("call", on: "1.4"))
    inbox.add(value("other", on: "12.4"))
    #expect(texts(inbox.take()) == ["= 12.4 other"])
  }

  @Test("silence hides raw lines until the connection ends")
  func raw() {
    inbox.add(.line("a payload"))
    inbox.silence(.ofConnection)
    inbox.add(.line("@_stop PONG"))
    inbox.add(.line("another"))
    inbox.add(.ended(nil))
    #expect(texts(inbox.take()) == ["ended"])
  }

  @Test("take returns a limited number of items, so that keys need not wait")
  func portions() {
    for _ in 0..<2500 { inbox.add(value("x")) }
    #expect([1000, 1000, 500, 0].allSatisfy { inbox.take().count == $0 })
    let long = String(repeating: "x", count: 50_000)
    for _ in 0..<3 { inbox.add(value(long)) }
    #expect(inbox.take().count == 2)
  }
}
