import FlowTestSupport
import FlowWire
import Foundation
import Testing

@Suite("Commands of other servers")
struct ForeignVerbTests {
  private func refusal(_ line: String) -> String? {
    #expect(throws: CommandError.self) { try TaggedCommand(line) }?.error.message
  }

  @Test(
    "the line that is suggested can be sent",
    arguments: [
      ("subscribe taps", "SUB taps 10"), ("SUBSCRIBE taps 5", "SUB taps 5"),
      ("publish taps {\"a\": 1}", "SEND taps {\"a\": 1}"), ("unsubscribe 3", "CANCEL 3"),
      ("unsubscribe", "CANCEL 1"), ("ls", "LIST"), ("exit", "QUIT"), ("del taps", "DELETE taps"),
      ("subscribe", "SUB orders 10"),
    ]
  )
  func lines(line: String, suggestion: String) throws {
    let text = try #require(refusal(line))
    #expect(text.hasSuffix("; did you mean \(suggestion)?"), "\(text)")
    #expect(throws: Never.self) { try TaggedCommand(suggestion) }
  }

  @Test("each word has a line that can be sent", arguments: Verb.elsewhere.keys.sorted())
  func all(word: String) throws {
    let text = try #require(refusal(word))
    let line = try #require(text.components(separatedBy: "; did you mean ").last).dropLast()
    #expect(throws: Never.self, "\(text)") { try TaggedCommand(String(line)) }
  }

  @Test("bytes that could move a cursor are not repeated")
  func controls() throws {
    let text = try #require(refusal("subscribe \u{1B}[2J"))
    #expect(text.hasSuffix("; did you mean SUB orders 10?"), "\(text)")
  }

  @Test("docs/words.md has a row for each; Scripts/pages writes them")
  func page() throws {
    var page = try GeneratedPage("docs/words.md")
    let rows = Verb.elsewhere.sorted { $0.key < $1.key }.map {
      ["`\($0.key)`", "`\($0.value.rawValue)`"]
    }
    try page.setRows(rows, below: "| Elsewhere | Command |")
    #expect(try page.isUpToDate(), "run Scripts/pages")
  }

  @Test(
    "an expression is one if nothing of it would be read as more",
    arguments: [
      ("taps", true), ("taps.map { $0 }", true), ("taps .map { $0 }", true),
      ("taps buys", false), ("taps.map { $0", false), ("taps.map { \"a }", false), ("", false),
      ("taps 5", false),
    ]
  )
  func whole(text: String, isWhole: Bool) {
    #expect(Expression.isWhole(text) == isWhole)
  }
}
