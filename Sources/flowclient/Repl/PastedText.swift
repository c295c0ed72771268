import FlowFiles

/// A paste of several lines: statements as in a `.flow` file, and protocol lines.
struct PastedText {
  struct Statement: Equatable {
    /// The statement as one protocol line.
    let line: String
    /// The number of its first line in the paste.
    let number: Int
  }

  private(set) var statements: [Statement] = []
  private var findings: [Finding] = []
  /// The mistakes with their lines and carets; if there are any, nothing is sent.
  var reports: [String] { findings.map(\.report) }
  /// The parts that are not sent, with the reasons.
  private(set) var remarks: [String] = []

  /// Whether it is one statement over several lines, which the user reviews before it is sent.
  var isOneStatement: Bool { statements.count == 1 && findings.isEmpty && remarks.isEmpty }

  private static let name = "paste"
  private static let serverName = "server"

  /// Splits the text, and checks its definitions with the server's `names`, if known.
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

  /// Returns the name that a line defines, if it is a definition.
  private static func definedName(_ line: String) -> String? {
    let words = line.split(maxSplits: 2) { $0.isWhitespace || $0 == "=" }
    guard words.count > 1, FlowFile.commands.contains(words[0].uppercased()) else { return nil }
    return String(words[1])
  }

  /// Checks the definitions as a server with these `names` would.
  private mutating func check(_ file: FlowFile, _ names: KnownNames, _ defined: Set<String>) {
    // Replaces other commands, which no file has, with empty lines to keep the line numbers.
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
