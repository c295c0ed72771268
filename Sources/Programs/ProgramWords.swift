import Spelling

/// A program's arguments, split into options and operands.
package struct ProgramWords<Name: RawRepresentable<String> & Sendable> {
  package private(set) var options: [GivenOption<Name>] = []
  package private(set) var operands: [String] = []
  /// How many operands precede the `--`, if there is one.
  package private(set) var divider: Int?

  private let table: [ProgramOption<Name>]
  private let advice: String
  private let elsewhere: [String: String]
  private var rest: ArraySlice<String>

  /// Splits `words` by `table`.
  ///
  /// The error of an unknown option shows `advice`, or what to write instead if other programs have
  /// it `elsewhere`.
  package init(
    _ words: [String],
    by table: [ProgramOption<Name>],
    advice: String,
    elsewhere: [String: String] = [:]
  ) throws(UsageError) {
    self.table = table
    self.advice = advice
    self.elsewhere = elsewhere
    rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        divider = operands.count
        operands += rest
        return
      } else if word.hasPrefix("--") {
        try readLong(word.dropFirst(2))
      } else if word.hasPrefix("-"), let first = word.dropFirst().first,
        !first.isNumber || word.count == 2 && table.contains(where: { $0.short == first })
      {
        try readCluster(word.dropFirst())
      } else {
        operands.append(word)
      }
    }
  }

  /// Reads `name` or `name=value`.
  private mutating func readLong(_ text: Substring) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let place = "--\(parts[0])"
    guard let option = table.first(where: { $0.name.rawValue == parts[0] }) else {
      let known = table.map(\.name.rawValue)
      let word = String(parts[0])
      try checkElsewhere("--\(word)")
      throw UsageError(unknown: "option", dashes: "--", word, among: known, advice: advice)
    }
    try add(option, parts.count == 2 ? String(parts[1]) : nil, place)
  }

  /// Reads `qv`, `n 5` or `n5`.
  private mutating func readCluster(_ letters: Substring) throws(UsageError) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let option = table.first(where: { $0.short == letter }) else {
        try checkElsewhere("-\(letter)")
        throw UsageError(unknown: "option", dashes: "-", "\(letter)", among: [], advice: advice)
      }
      let takesRest = option.value != nil && !letters.isEmpty
      try add(option, takesRest ? String(letters) : nil, "-\(letter)")
      if takesRest { return }
    }
  }

  /// Throws if `option` has another name in this program.
  private func checkElsewhere(_ option: String) throws(UsageError) {
    guard let meant = elsewhere[option] else { return }
    throw UsageError("unknown option \"\(option)\"; did you mean \"\(meant)\"?", advice: advice)
  }

  private mutating func add(
    _ option: ProgramOption<Name>,
    _ attached: String?,
    _ place: String
  ) throws(UsageError) {
    var value = ""
    if let placeholder = option.value {
      guard let given = attached ?? rest.popFirst() else {
        throw UsageError("\(place) needs a value: \(place) \(placeholder)")
      }
      value = given
    } else if let attached {
      throw UsageError("\(place) takes no value, but was given \"\(attached.excerpt())\"")
    }
    options.append(
      GivenOption(
        name: option.name,
        value: value,
        source: place,
        operandsBefore: operands.count
      )
    )
  }
}
