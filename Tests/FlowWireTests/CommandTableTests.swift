import FlowWire
import Testing

@Suite("CommandTable")
struct CommandTableTests {
  @Test("every example works, and is an example of its command", arguments: Verb.allCases)
  func examples(_ verb: Verb) throws {
    let entry = verb.entry
    #expect(entry.name == verb.rawValue)
    #expect(!entry.examples.isEmpty)
    for example in entry.examples {
      #expect(throws: Never.self) { try TaggedCommand(example) }
      #expect(example.hasPrefix(entry.name))
    }
  }

  @Test("protocol.md has a transcript with each command")
  func transcripts() throws {
    let said = try ProtocolPage.lines.compactMap { line -> Substring? in
      guard line.dropFirst().hasPrefix("> ") else { return nil }
      return line.dropFirst(3).split(separator: " ").first { !$0.hasPrefix("@") }
    }
    #expect(Set(Verb.allCases.map(\.rawValue)).subtracting(said.map(String.init)) == [])
  }

  @Test("every line of it fits a terminal", arguments: CommandTable.all)
  func width(_ entry: CommandEntry) {
    for line in [entry.form, entry.summary] + entry.examples {
      #expect(line.count <= 96, "\(line)")
    }
  }

  @Test("the example of a value frame is one")
  func valueFrames() {
    let text = CommandTable.textValue.examples.map { decode($0 + "\n") }
    #expect(text == [[.value(1, "21.5")]])
    let counted = CommandTable.countedValue.examples.map { decode($0 + "\nhello\n") }
    #expect(counted == [[.value(1, "hello")]])
  }

  @Test("finds an entry whatever the case")
  func lookup() {
    #expect(CommandTable.entry(named: "pipeline")?.name == "PIPELINE")
    #expect(CommandTable.entry(named: "=")?.form == "= ID TEXT")
    #expect(CommandTable.entry(named: "nothing") == nil)
    #expect(Set(CommandTable.all.map(\.name)).count == CommandTable.all.count)
  }
}
