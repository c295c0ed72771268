/// The form of a command or frame: used in its errors, in `HELP` and in the documentation.
public struct CommandEntry: Hashable, Sendable {
  public let name: String
  /// The form of the whole line, see `Verb.form`.
  public let form: String
  public let summary: String
  /// Valid lines, the simplest first.
  public let examples: [String]

  init(_ form: String, _ summary: String, examples: [String]) {
    self.name = String(form.prefix { $0 != " " })
    self.form = form
    self.summary = summary
    self.examples = examples
  }

  /// Returns an error with the form and an example.
  func usage(_ problem: String) -> WireError {
    let example = examples.first.map { ", for example: \($0)" } ?? ""
    return WireError(.usage, "\(problem); the form is \(form)\(example)")
  }
}

extension Verb {
  public var entry: CommandEntry { CommandEntry(form, summary, examples: examples) }
}
