import FlowLanguage
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
    let expected = OperatorTable.all.map { entry in
      "| `\(entry.signature)` | \(entry.summary) | \(entry.demand) | `\(entry.example)` |"
    }
    #expect(try referenceRows(below: "## Sources and operators") == expected)
  }

  @Test("the reference page tells what each stage holds that holds something, and what ends early")
  func holding() throws {
    let expected = OperatorTable.all.filter { $0.role != .source }.flatMap { entry in
      entry.demands.map(\.general).filter { demand in
        demand.holds != .nothing || demand.ends != "with its upstream"
      }
      .map { demand in
        let form = demand.form.map { ", \($0)" } ?? ""
        return "| `\(entry.name)`\(form) | \(demand.holds.text) | \(demand.full) | \(demand.ends) |"
      }
    }
    #expect(try referenceRows(below: "### What stages hold") == expected)
  }
}
