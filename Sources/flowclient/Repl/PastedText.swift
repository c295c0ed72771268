import FlowFiles

/// A text of several lines that was pasted: statements as in a `.flow` file, and lines of the protocol.
struct PastedText {
  struct Statement: Equatable {
    /// As one line of the protocol.
    let line: String
    /// The number of its first line in the paste.
    let number: Int
  }

  private(set) var statements: [Statement] = []
  private var findings: [Finding] = []
  /// The mistakes, each with its place, line and carets; with any, none of the text is sent.
  var reports: [String] { findings.map(\.report) }
  /// The parts that are not sent, with the reasons.
  private(set) var remarks: [String] = []

  /// Whether it is one statement over several lines, to be looked at before it is sent.
  var isOneStatement: Bool { statements.count == 1 && findings.isEmpty && remarks.isEmpty }

  private static let name = "paste"
  private static let serverName = "server"

  /// Splits the text, and checks its definitions with the names of the server; `nil` if they are
  /// unknown.
  init(_ text: String, names: KnownNames?) {
    let file = FlowFile(text, name: Self.name)
    findings = file.findings
    var definitions: [String] = []
    var tests = 0
    for statement in file.statements {
      switch statement.kind {
      case .command:
        let line = statement.line
        statements.append(Statement(line: line.text, number: line.number))
        if let name = Self.definedName(line.text) { definitions.append(name) }
      case .set: remarks.append("set is only for files the server reads itself; ignored")
      case .include(let path):
        remarks.append("include \(path) is not sent: paste that file as well")
      case .test: tests += 1
      }
    }
    if tests > 0 {
      remarks.append("\(tests == 1 ? "a test" : "\(tests) tests") left out: flowclient test FILE")
    }
    if let names, findings.isEmpty { check(file, names, Set(definitions)) }
  }

  /// The name that a line defines, if it is a definition.
  private static func definedName(_ line: String) -> String? {
    let words = line.split(maxSplits: 2) { $0.isWhitespace || $0 == "=" }
    guard words.count > 1, FlowFile.commands.contains(words[0].uppercased()) else { return nil }
    return String(words[1])
  }

  /// Checks the definitions among the statements, as a server that has `names` would.
  private mutating func check(_ file: FlowFile, _ names: KnownNames, _ defined: Set<String>) {
    // Other commands are no statements of a file: their lines are left empty, so that places stay.
    var lines = file.lines
    for statement in file.statements {
      if case .command = statement.kind, Self.definedName(statement.line.text) != nil { continue }
      for number in statement.line.number...max(statement.line.number, statement.line.lastNumber)
      where lines.indices.contains(number - 1) {
        lines[number - 1] = ""
      }
    }
    let there = names.names(["subject", "pipeline"]).filter { !defined.contains($0) }
    let prelude = there.map { "SUBJECT \($0)\n" }.joined()
    let own = lines.joined(separator: "\n")
    let script = Script([Self.serverName, Self.name]) { path in
      path == Self.serverName ? prelude : own
    }
    findings += Definitions(script).errors.filter { $0.place.file == Self.name }
  }
}
