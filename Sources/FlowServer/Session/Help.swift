internal import FlowLanguage
internal import FlowWire
internal import Spelling

/// The rows of HELP, from the tables that also feed the parsers.
enum Help {
  static func rows(for word: String?) -> [String]? {
    guard let word else { return overview }
    if let entry = CommandTable.entry(named: word) { return rows(for: entry) }
    if let entry = OperatorTable.entry(word) { return rows(for: entry) }
    return nil
  }

  static func nearestTopic(to word: String) -> String? {
    nearest(to: word, among: CommandTable.all.map(\.name) + OperatorTable.all.map(\.name))
  }

  private static var overview: [String] {
    let forms = CommandTable.all.map { "\($0.form)   \($0.summary)" }
    let names = OperatorTable.all.map(\.name).joined(separator: " ")
    return forms + ["operators: \(names)", "HELP WORD tells more of a command or an operator"]
  }

  private static func rows(for entry: CommandEntry) -> [String] {
    [entry.form, entry.summary] + entry.details + entry.examples.map { "example: \($0)" }
  }

  private static func rows(for entry: OperatorEntry) -> [String] {
    [entry.signature, entry.summary, "demand: \(entry.demand)", "example: \(entry.example)"]
  }
}
