import FlowFiles
import FlowLanguage

/// Plays the tests of files in virtual time: `test FILE…`.
struct FileTesting {
  private let files: [String]
  private let session: ClientSession

  init(_ files: [String], _ session: ClientSession) {
    self.files = files
    self.session = session
  }

  func run() throws(ClientError) -> ExitCode {
    var isGood = true
    for file in files {
      let script = try TextFile.script(file, session.surroundings)
      let definitions = Definitions(script)
      guard definitions.errors.isEmpty else {
        for error in definitions.errors { session.surroundings.writeOutput("\(error.report)\n") }
        isGood = false
        continue
      }
      let failed = definitions.tests.filter { !passes($0, of: script) }.count
      let count = definitions.tests.count
      isGood = isGood && failed == 0
      session.surroundings.writeOutput(
        "\(file): \(count - failed) of \(count) \(count == 1 ? "test" : "tests") passed\n"
      )
    }
    return isGood ? .done : .no
  }

  private func passes(_ step: Script.Step, of script: Script) -> Bool {
    guard case .test(let test) = step.statement.kind else { return true }
    // Fresh definitions: what a test leaves behind is not to reach the next one.
    let outcome = test.play(in: Definitions(script).scene)
    guard let difference = outcome.difference else {
      session.remarks.detail("\"\(test.name)\" passed")
      return true
    }
    let place = "\(step.file.name):\(step.statement.line.number)"
    let lines = ["\(place): \"\(test.name)\" failed: \(difference)"] + outcome.drawing
    session.surroundings.writeOutput(lines.map { "\($0)\n" }.joined())
    return false
  }
}
