import Spelling

/// One option of a program: a row of the table that feeds parsing, completion and `--help`.
package struct ProgramOption<Name: RawRepresentable<String> & Sendable>: Sendable {
  /// The raw value is the long name.
  package let name: Name
  package let short: Character?
  /// The placeholder of its value in the help; `nil` if it takes none.
  package let value: String?
  package let summary: String
  /// The values that shell completion offers.
  package let words: [String]

  package init(
    name: Name,
    short: Character? = nil,
    value: String? = nil,
    summary: String,
    words: [String] = []
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.summary = summary
    self.words = words
  }

  package func with(_ summary: String) -> Self {
    Self(name: name, short: short, value: value, summary: summary, words: words)
  }

  /// The spelling in the help: `-s, --server ADDRESS`.
  package var spelling: String {
    let long = "--\(name.rawValue)" + (value.map { " \($0)" } ?? "")
    return short.map { "-\($0), \(long)" } ?? "    \(long)"
  }
}

package struct GivenOption<Name> {
  package let name: Name
  /// The value; empty if the option takes none.
  package let value: String
  /// Where the value was given, as written: the option, or another source.
  package let source: String
  /// How many operands precede it.
  package let operandsBefore: Int

  package init(name: Name, value: String, source: String, operandsBefore: Int = 0) {
    self.name = name
    self.value = value
    self.source = source
    self.operandsBefore = operandsBefore
  }

  /// Returns the value as one of a few words.
  package func choice<Choice: RawRepresentable<String> & CaseIterable>()
    throws(UsageError) -> Choice
  {
    guard let choice = Choice(rawValue: value) else {
      throw refusal("one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return choice
  }

  /// Returns the error of a value that is not `expected`.
  package func refusal(_ expected: String) -> UsageError {
    UsageError("\(source) is \"\(value.excerpt())\", expected \(expected)")
  }
}
