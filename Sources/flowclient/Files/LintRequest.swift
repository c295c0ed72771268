import FlowFiles
import FlowLanguage
import Programs

/// Prints the mistakes in files, each checked by itself as a server would: `lint FILE…`.
struct LintRequest: ClientCommand {
  enum Form: String, CaseIterable {
    case text, github, json
  }

  var files: [String] = []
  var form = Form.text
  var isStrict = false

  static let entry = VerbEntry(
    LintRequest(),
    usage: "lint FILE…",
    group: .files,
    summary: "report errors and probable mistakes in files",
    options: [
      .value("format", .choice("FORM"), "text, github (annotations) or json", \.form),
      .flag("strict", "treat warnings as errors", \.isStrict),
    ],
    examples: ["flowclient lint shop.flow", "flowclient lint --strict --format github *.flow"]
  )

  var asksServer: Bool { false }

  mutating func read(_ words: CommandWords) throws(UsageError) {
    files = try words.files()
    if words.output == "json", form == .text { form = .json }
  }

  func run(in session: ClientSession) throws(ClientError) -> ExitCode {
    var findings: [Finding] = []
    for file in files {
      let definitions = Definitions(try TextFile.script(file, session.surroundings))
      findings += definitions.errors + Lint.warnings(of: definitions)
    }
    for finding in findings {
      session.surroundings.writeOutput("\(text(of: finding))\n")
    }
    let errors = findings.filter { $0.severity == .error }.count
    let warnings = findings.count - errors
    session.remarks.note(
      "\(counted(errors, "error")), \(counted(warnings, "warning"))"
        + " in \(counted(files.count, "file"))"
    )
    return errors > 0 || (isStrict && warnings > 0) ? .no : .done
  }

  private func counted(_ count: Int, _ what: String) -> String {
    "\(count == 0 ? "no" : "\(count)") \(what)\(count == 1 ? "" : "s")"
  }

  private func text(of finding: Finding) -> String {
    switch form {
    case .text: finding.report
    case .github: Self.annotation(finding)
    case .json: finding.json
    }
  }

  /// A workflow command of GitHub's runners.
  private static func annotation(_ finding: Finding) -> String {
    func escaped(_ text: String, _ special: String) -> String {
      text.reduce(into: "") { result, character in
        let isSpecial = "%\r\n\(special)".contains(character)
        result += isSpecial ? "%\(hexadecimal(character))" : String(character)
      }
    }
    let place = finding.place
    let title = finding.code.map { ",title=\($0)" } ?? ""
    return "::\(finding.severity.rawValue) file=\(escaped(place.file, ":,")),line=\(place.line)"
      + ",col=\(place.column),endColumn=\(place.column + max(1, place.length))\(title)"
      + "::\(escaped(finding.message, ""))"
  }

  private static func hexadecimal(_ character: Character) -> String {
    let digits = String(character.asciiValue ?? 0, radix: 16, uppercase: true)
    return digits.count == 1 ? "0\(digits)" : digits
  }
}

extension Finding {
  /// An object with all of it.
  var json: String {
    var text = "{\"file\":\(JSONText.string(place.file)),\"line\":\(place.line)"
    text += ",\"column\":\(place.column),\"length\":\(place.length)"
    text += ",\"severity\":\"\(severity.rawValue)\""
    if let code { text += ",\"code\":\"\(code)\"" }
    return text + ",\"message\":\(JSONText.string(message))}"
  }
}
