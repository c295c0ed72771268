import Testing

@testable import flowclient

@Suite("Grey hints")
struct HintsTests {
  @Test(
    "say how to go on",
    arguments: [
      ("REQ ", "ID|NAME N|max"), ("REQ 1", " N|max"), ("REQ 1 ", "N|max"), ("REQ 1 5", ""),
      ("SUB orders 5 as=1 ", "[window=SIZE] [durable=NAME]"), ("PIPELINE x ", "= EXPR"),
      ("@7 REQ 1 ", "N|max"), ("SUB orders.debounce(", "for: time, scheduler: DispatchQueue.main)"),
      ("SUB orders.debounce(for: 3", ", scheduler: DispatchQueue.main)"),
      ("SUB orders.debounce(for: 3,", "scheduler: DispatchQueue.main)"),
      ("SUB orders.map {", " value in … }"), ("SUB orders.map { ", "value in … }"),
      ("SUB orders.map { $0", ""),
      ("SUB orders.debo", "unce(for: time, scheduler: DispatchQueue.main)"),
      ("SUB orders.map { $0.a }.debounce(for: max(1, 2)", ", scheduler: DispatchQueue.main)"),
      ("SUB orders.debounce(for: [\"a, (b\"]", ", scheduler: DispatchQueue.main)"),
      ("SUB orders.flatMap { Just($0).prefix(", "count)"), ("SUB orders.map { $0.items.max(", ""),
      ("SUB orders.filter(\\.a) ", "[N|max] [as=ID] [window=SIZE] [durable=NAME]"),
      ("SUB orders.prefix(", "count)"), ("nonsense ", ""), ("SUB orders.", ""), ("", ""),
      (":save ", "FILE"),
    ]
  )
  func hint(_ typed: String, _ hint: String) {
    #expect(Hints.hint(Array(typed)) == hint)
  }

  @Test("tell what a word can become")
  func beginning() {
    #expect(Hints.hint(Array("pip")).hasPrefix("ELINE NAME = EXPR   defines"))
    #expect(Hints.hint(Array("SUB")).hasPrefix(" EXPR [N|max]"))
    #expect(Hints.hint(Array(":tr")).hasPrefix("ace [on|off]"))
    #expect(Hints.hint(Array("P")) == "")
  }
}
