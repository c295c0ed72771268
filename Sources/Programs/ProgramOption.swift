import Spelling

/// One option of a program: a row of the table that feeds parsing, completion and `--help`.
package struct ProgramOption<Name: RawRepresentable<String> & Sendable>: Sendable {
  /// Its raw value is the long name.
  package let name: Name
  package let short: Character?
  /// What its value stands for in the help; `nil` if it takes none.
  package let value: String?
  package let summary: String
  /// The words that a shell offers for the value.
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

  /// The same with another summary.
  package func with(_ summary: String) -> Self {
    Self(name: name, short: short, value: value, summary: summary, words: words)
  }

  /// How it is written, as in `-s, --server ADDRESS`.
  package var spelling: String {
    let long = "--\(name.rawValue)" + (value.map { " \($0)" } ?? "")
    return short.map { "-\($0), \(long)" } ?? "    \(long)"
  }
}

/// An option with the value it was given.
package struct GivenOption<Name> {
  package let name: Name
  /// Empty if it takes none.
  package let value: String
  /// The option, or what else said it, as it was written.
  package let place: String
  /// How many operands stand before it.
  package let operandsBefore: Int

  package init(name: Name, value: String, place: String, operandsBefore: Int = 0) {
    self.name = name
    self.value = value
    self.place = place
    self.operandsBefore = operandsBefore
  }

  /// The value as one of a few words.
  package func choice<Choice: RawRepresentable<String> & CaseIterable>()
    throws(UsageError) -> Choice
  {
    guard let choice = Choice(rawValue: value) else {
      throw refusal("one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return choice
  }

  /// What is said of a value that is not what was `expected`.
  package func refusal(_ expected: String) -> UsageError {
    UsageError("\(place) is \"\(value.excerpt())\", expected \(expected)")
  }
}
