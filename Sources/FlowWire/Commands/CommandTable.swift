/// The form of every command and value frame, in the order of `HELP`.
public enum CommandTable {
  public static let all: [CommandEntry] = Verb.allCases.map(\.entry) + [textValue, countedValue]

  /// Returns the entry whose first word is `word`, ignoring case.
  public static func entry(named word: String) -> CommandEntry? {
    let word = word.uppercased()
    return all.first { $0.name == word }
  }

  public static let textValue = CommandEntry(
    "= ID TEXT",
    "a value: sent on your publication, or received on your subscription",
    examples: ["= 1 21.5"]
  )

  public static let countedValue = CommandEntry(
    ": ID LEN",
    "the same for values of any bytes: LEN of them follow on the next line, then a line end",
    examples: [": 1 5"]
  )
}
