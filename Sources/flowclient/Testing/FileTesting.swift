import FlowFiles
import FlowLanguage
import Programs

/// The files whose tests are played: `test FILE…`.
struct TestRequest: ClientCommand {
  var files: [String] = []
  /// The longest time of a test; `nil` is the usual limit.
  var limit: Duration?

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
    try FileTesting(request: self, session: session).run()
  }
}

/// Plays the tests of files in virtual time: `test FILE…`.
struct FileTesting {
  /// The longest time of a test, far above what one takes.
  static let usualLimit = Duration.seconds(60)

  let request: TestRequest
  let session: ClientSession

  func run() throws(ClientError) -> ExitCode {
    var isGood = true
    for file in request.files {
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
      // What was read from standard input is not there for another process.
      let passed =
        file == "-" ? play(tests[...], of: script) : play(tests, of: script, inProcessesFor: file)
      isGood = isGood && passed == tests.count
      guard !session.isJSON else { continue }
      session.surroundings.writeOutput(
        "\(file): \(passed) of \(Figure.counted(tests.count, "test")) passed\n"
      )
    }
    return isGood ? .done : .no
  }

  /// Plays tests here; how many pass.
  private func play(_ tests: ArraySlice<Script.Step>, of script: Script) -> Int {
    tests.count { step in printResult(TestPlayer.report(of: step, in: script), of: step) }
  }

  /// Plays the tests of a file in a process, and in another one from behind a test that ends it; how
  /// many pass.
  private func play(
    _ tests: [Script.Step],
    of script: Script,
    inProcessesFor file: String
  ) -> Int {
    var passed = 0
    var next = 0
    while next < tests.count {
      let process = TestProcess(
        ["/proc/self/exe", TestPlayer.verb, "\(next)", file],
        limit: request.limit ?? Self.usualLimit,
        session.platform
      )
      let ending = try? process.run { record in
        switch record {
        case .begun(let number): next = number
        case .passed(let number):
          if printResult(nil, of: tests[number]) { passed += 1 }
          next = number + 1
        case .failed(let number, let report):
          _ = printResult(report, of: tests[number])
          next = number + 1
        }
      }
      // Where no process can be made, all is played here.
      guard let ending else { return passed + play(tests[next...], of: script) }
      guard next < tests.count else { break }
      _ = printResult(Self.report(of: tests[next], ending, request.limit), of: tests[next])
      next += 1
    }
    return passed
  }

  /// Returns the report of a test that did not finish.
  private static func report(
    of step: Script.Step,
    _ ending: TestProcess.Ending,
    _ limit: Duration?
  ) -> String {
    let what =
      switch ending {
      case .done: "could not be played"
      case .crashed(let reason): "crashed: \(reason)"
      case .tooLong: "took longer than \(timeText(Int((limit ?? usualLimit).inNanoseconds)))"
      }
    return "\(step.place): \"\(step.testName)\" \(what)\n"
  }

  /// Prints the result of a test, and returns whether it passed.
  private func printResult(_ report: String?, of step: Script.Step) -> Bool {
    if session.isJSON {
      session.surroundings.writeOutput("\(Self.object(step, report))\n")
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
