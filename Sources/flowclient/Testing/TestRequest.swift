import FlowFiles
import FlowLanguage
import Programs

/// Runs the tests of files in virtual time: `test FILE…`.
struct TestRequest: ClientCommand {
  var files: [String] = []
  /// The longest time of a test, far above the usual.
  var limit = Duration.seconds(60)

  static let entry = VerbEntry(
    TestRequest(),
    usage: "test FILE…",
    group: .files,
    summary: "run the tests in files, in virtual time",
    options: [
      .value("timeout", .time, "a test that takes longer has failed (default 1m)", \.limit)
    ],
    examples: ["flowclient test shop.flow", "flowclient test --timeout 5s shop.flow"]
  )

  var asksServer: Bool { false }

  mutating func read(_ words: CommandWords) throws(UsageError) { files = try words.files() }

  func run(in session: ClientSession) throws(ClientError) -> ExitCode {
    var isGood = true
    for file in files {
      let script = try TextFile.script(file, session.surroundings)
      let definitions = Definitions(script)
      guard definitions.errors.isEmpty else {
        for error in definitions.errors {
          session.surroundings.writeOutput("\(session.isJSON ? error.json : error.report)\n")
        }
        isGood = false
        continue
      }
      let tests = definitions.tests
      // Another process could not read standard input again.
      let passed =
        file == "-"
        ? Self.play(tests[...], of: script, session)
        : play(tests, of: script, inProcessesFor: file, session)
      isGood = isGood && passed == tests.count
      guard !session.isJSON else { continue }
      session.surroundings.writeOutput(
        "\(file): \(passed) of \(Figure.counted(tests.count, "test")) passed\n"
      )
    }
    return isGood ? .done : .no
  }

  /// Runs tests in this process; returns how many pass.
  private static func play(
    _ tests: ArraySlice<Script.Step>,
    of script: Script,
    _ session: ClientSession
  ) -> Int {
    tests.count { step in printResult(TestPlayer.report(of: step, in: script), of: step, session) }
  }

  /// Runs a file's tests in a process, and in a new one after a test that ends it; returns how many
  /// pass.
  private func play(
    _ tests: [Script.Step],
    of script: Script,
    inProcessesFor file: String,
    _ session: ClientSession
  ) -> Int {
    var passed = 0
    var next = 0
    while next < tests.count {
      let process = TestProcess(
        ["/proc/self/exe", TestPlayer.verb, "\(next)", file],
        limit: limit,
        session.platform
      )
      let ending = try? process.run { record in
        switch record {
        case .begun(let number): next = number
        case .passed(let number):
          if Self.printResult(nil, of: tests[number], session) { passed += 1 }
          next = number + 1
        case .failed(let number, let report):
          _ = Self.printResult(report, of: tests[number], session)
          next = number + 1
        }
      }
      // Runs the rest here if no process can be started.
      guard let ending else { return passed + Self.play(tests[next...], of: script, session) }
      guard next < tests.count else { break }
      _ = Self.printResult(report(of: tests[next], ending), of: tests[next], session)
      next += 1
    }
    return passed
  }

  /// Returns the report of a test that did not finish.
  private func report(of step: Script.Step, _ ending: TestProcess.Ending) -> String {
    let what =
      switch ending {
      case .done: "could not be played"
      case .crashed(let reason): "crashed: \(reason)"
      case .tooLong: "took longer than \(timeText(Int(limit.inNanoseconds)))"
      }
    return "\(step.place): \"\(step.testName)\" \(what)\n"
  }

  /// Prints the result of a test; returns whether it passed.
  private static func printResult(
    _ report: String?,
    of step: Script.Step,
    _ session: ClientSession
  ) -> Bool {
    if session.isJSON {
      session.surroundings.writeOutput("\(object(step, report))\n")
      return report == nil
    }
    guard let report else {
      session.remarks.detail("\"\(step.testName)\" passed")
      return true
    }
    session.surroundings.writeOutput(report)
    return false
  }

  private static func object(_ step: Script.Step, _ report: String?) -> String {
    var members = [
      ("file", JSONText.string(step.file.name)), ("line", "\(step.statement.line.number)"),
      ("test", JSONText.string(step.testName)), ("passed", "\(report == nil)"),
    ]
    if let report { members.append(("report", JSONText.string(report))) }
    return JSONLine.object(members)
  }
}

extension Script.Step {
  fileprivate var testName: String {
    if case .test(let test) = statement.kind { test.name } else { "" }
  }
}
