import Testing

@testable import FlowLanguage

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

  @Test("the reference page has the marbles of each")
  func marbles() throws {
    let rows = OperatorTable.all.flatMap(\.marbles).flatMap { $0.rows + [""] }.dropLast()
    #expect(try referenceBlock(below: "### Marble diagrams") == Array(rows))
  }

  @Test("the names that Combine has for closures that may fail are those of the others")
  func throwing() throws {
    for name in ["tryMap", "tryFilter", "tryCatch", "tryRemoveDuplicates"] {
      let plain = name.dropFirst(3).prefix(1).lowercased() + name.dropFirst(4)
      #expect(OperatorTable.entry(name)?.name == plain)
    }
  }

  @Test(
    "labels are those of the operator, not of its arguments' parts",
    arguments: [
      ("retry", ["delay", "backoff"]), ("throttle", ["for", "scheduler", "latest"]),
      ("group", ["by", "maxGroups"]), ("prefix", ["while", "untilOutputFrom"]), ("map", []),
    ]
  )
  func labels(_ name: String, _ labels: [String]) throws {
    let host = TestHost(subjects: "taps")
    let diagnostic = #expect(throws: Diagnostic.self) { try host.pipeline("taps.\(name)(from: 1)") }
    let message = "\(name) has no argument \"from\": "
    #expect(diagnostic?.message.hasPrefix(message) ?? false)
    #expect(try #require(OperatorTable.entry(name)).labels == labels)
  }
}
