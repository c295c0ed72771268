import FlowLanguage
import Foundation
import Testing

@Suite("The operator table")
struct OperatorTableTests {
  @Test("every example is a pipeline, or a run", arguments: OperatorTable.all.map(\.name))
  func examples(name: String) throws {
    let entry = try #require(OperatorTable.entry(name))
    let host = TestHost(subjects: "taps", "orders", "returns")
    if entry.role == .ending {
      #expect(throws: Never.self) { try host.standing(entry.example) }
      #expect(throws: Diagnostic.self) { try host.pipeline(entry.example) }
    } else {
      #expect(throws: Never.self) { try host.pipeline(entry.example) }
    }
  }

  @Test("every name is found")
  func names() {
    for entry in OperatorTable.all {
      #expect(OperatorTable.entry(entry.name)?.signature == entry.signature)
      #expect(entry.signature.hasPrefix(entry.name))
    }
    #expect(OperatorTable.entry("fliter") == nil)
  }

  @Test("the reference page has a row for each, word for word")
  func page() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/language.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
    let expected = OperatorTable.all.map { entry in
      "| `\(entry.signature)` | \(entry.summary) | \(entry.demand) | `\(entry.example)` |"
    }
    #expect(rows == expected)
  }
}
