/// What is to be known about one command or frame: feeds its errors, `HELP` and the documentation.
public struct CommandEntry: Hashable, Sendable {
  /// The first word of the line, in upper case.
  public let name: String
  /// The whole line; `[…]` may be left out, `|` separates alternatives, upper case is filled in.
  public let form: String
  /// What it does, in one line.
  public let summary: String
  /// Lines that work, the simplest first.
  public let examples: [String]
  /// What else there is to know: its answer, its fields and their ranges, one thing a line.
  public let details: [String]

  init(_ form: String, _ summary: String, examples: [String], details: [String]) {
    self.name = String(form.prefix { $0 != " " })
    self.form = form
    self.summary = summary
    self.examples = examples
    self.details = details
  }

  /// Refuses a line, with the form and an example of what was expected.
  func usage(_ problem: String) -> WireError {
    let example = examples.first.map { ", for example: \($0)" } ?? ""
    return WireError(.usage, "\(problem); the form is \(form)\(example)")
  }
}
