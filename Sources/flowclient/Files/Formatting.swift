import FlowFiles

/// Lays files out in the canonical way: `fmt FILE…`.
struct Formatting {
  private let files: [String]
  private let isCheck: Bool
  private let session: ClientSession

  init(_ files: [String], isCheck: Bool, _ session: ClientSession) {
    self.files = files
    self.isCheck = isCheck
    self.session = session
  }

  func run() throws(ClientError) -> ExitCode {
    var isClean = true
    for name in files {
      let text = try TextFile.read(name, session.surroundings)
      let file = FlowFile(text, name: name)
      guard file.findings.isEmpty else {
        let reports = file.findings.map(\.report).joined(separator: "\n")
        throw ClientError(
          .badInput,
          "\(name) has errors and was not changed",
          advice: reports
        )
      }
      let formatted = file.formatted
      if name == "-", !isCheck {
        session.surroundings.writeOutput(formatted)
      } else if formatted != text {
        isClean = false
        session.surroundings.writeOutput("\(name)\n")
        if !isCheck { try TextFile.replace(name, with: formatted, session.surroundings) }
      }
    }
    return isCheck && !isClean ? .no : .done
  }
}
