/// The help of a command or frame: used in its errors, in `HELP` and in the documentation.
public struct CommandEntry: Hashable, Sendable {
  public let name: String
  /// The form of the whole line: `[…]` is optional, `|` separates alternatives, upper case is a
  /// placeholder.
  public let form: String
  public let summary: String
  /// Valid lines, the simplest first.
  public let examples: [String]
  /// Its answer, fields and their ranges, one fact a line.
  public let details: [String]

  init(_ form: String, _ summary: String, examples: [String], details: [String]) {
    self.name = String(form.prefix { $0 != " " })
    self.form = form
    self.summary = summary
    self.examples = examples
    self.details = details
  }

  /// Returns an error with the form and an example.
  func usage(_ problem: String) -> WireError {
    let example = examples.first.map { ", for example: \($0)" } ?? ""
    return WireError(.usage, "\(problem); the form is \(form)\(example)")
  }
}
