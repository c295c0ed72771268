import FlowWire
import Testing

@testable import flowclient

@Suite("Pastes and saved sessions")
struct PastedTextTests {
  private var names: KnownNames {
    var names = KnownNames()
    names.replace(rows: ["subject orders passthrough", "pipeline there = orders"])
    return names
  }

  @Test("have statements over several lines, comments and other commands")
  func statements() {
    let text = """
      # A shop.
      SUBJECT totals   # all
      PIPELINE over = orders
        .filter { order in
          order.price > 3
        }
        # still it
        .map { $0.price }
      SUB over 5
      test over
        orders  1--2
      SEND orders {"price": 5}
      """
    let paste = PastedText(text, names: names)
    #expect(
      paste.statements.map(\.line) == [
        "SUBJECT totals",
        "PIPELINE over = orders.filter { order in order.price > 3 }.map { $0.price }", "SUB over 5",
        #"SEND orders {"price": 5}"#,
      ]
    )
    #expect(paste.statements.map(\.number) == [2, 3, 9, 12])
    #expect(paste.remarks.count == 1)
  }

  @Test("are refused as a whole with the place of each mistake")
  func mistakes() {
    let text = "SUBJECT a\nPIPELINE b = a.debonce(for: 1)\nSUB nobody 3\nPIPELINE c = missing\n"
    let paste = PastedText(text, names: names)
    #expect(paste.reports.count == 2)
    #expect(paste.reports.first?.hasPrefix("paste:2:") ?? false)
    #expect(paste.reports.first?.contains("^^^^^^^") ?? false)
    #expect(paste.reports.last?.hasPrefix("paste:4:") ?? false)
  }

  @Test("may read what the server has, and define it anew")
  func known() {
    let text = "PIPELINE a = there.map { $0 }\nSUBJECT orders flow=slowest\n"
    #expect(PastedText(text, names: names).reports == [])
  }

  @Test("are saved with what they read")
  func saved() throws {
    var file = SessionFile()
    for line in [
      "PIPELINE over = base.filter { $0 > 1 }", "SUBJECT out", "SUBJECT gone",
      "RUN work = over.assign(to: out)",
    ] {
      file.record(try TaggedCommand(line).command, line)
    }
    file.record(try TaggedCommand("DELETE gone").command, "DELETE gone")
    var names = KnownNames()
    names.replace(rows: [
      "subject a/b", "pipeline base = a/b", "pipeline over = …", "subject other",
    ])
    #expect(file.finding != nil)
    #expect(file.missing(names) == ["base"])
    file.record(older: "base", "PIPELINE base = a/b.map { $0 }")
    #expect(file.missing(names) == ["a/b"])
    file.record(older: "a/b", "SUBJECT a/b")
    #expect(file.missing(names) == [])
    #expect(file.finding == nil)
    #expect(
      file.text == """
        SUBJECT a/b
        PIPELINE base = a/b.map { $0 }
        PIPELINE over = base.filter { $0 > 1 }
        SUBJECT out
        RUN work = over.assign(to: out)

        """
    )
  }

  @Test("and the commands of the client are read")
  func commands() throws {
    #expect(try ReplCommand(":pause") == .pause)
    #expect(try ReplCommand(":trace off") == .trace(false))
    #expect(try ReplCommand(":save a b.flow ") == .save("a b.flow", replaces: false))
    #expect(try ReplCommand(":save! a") == .save("a", replaces: true))
    for line in [":save", ":trace maybe", ":pause 3", ":nothing", ":"] {
      #expect(throws: ReplCommand.Refusal.self) { try ReplCommand(line) }
    }
    for line in ["exit", "quit", " QUIT "] { #expect(ReplCommand.isExit(line)) }
    for line in ["quit now", "exits", ":quit", ""] { #expect(!ReplCommand.isExit(line)) }
    for line in ReplCommand.helpLines(59) { #expect(DisplayText.width(line) <= 59) }
  }
}
