import Dispatch
import FlowCore
import FlowLanguage
import FlowRemote
import FlowWire
import Glibc
import Programs

/// Answers calls by running a command for each: `serve NAME -- CMD ARGUMENT…`.
struct ServeRequest: ClientCommand {
  var name = ""
  /// The most calls at a time; `nil` is the number of cores.
  var jobs: UInt64?
  /// The words of the command, with `{}` for the value.
  var command: [String] = []

  static let entry = VerbEntry(
    ServeRequest(),
    usage: "serve NAME -- COMMAND …",
    group: .values,
    summary: "answer calls with what COMMAND prints; {} in it is the value",
    remark:
      "A call ends when COMMAND has ended and its output and standard error are closed. A process that COMMAND leaves "
      + "running keeps the call open as long as it has one of them open; start it with >/dev/null 2>&1 if it is to "
      + "outlive the call. A call that is cancelled ends all processes of COMMAND: SIGTERM, after 5 s SIGKILL.",
    options: [
      .value(
        "jobs",
        short: "j",
        .number,
        "answer up to N calls at a time (default: one per core)",
        \.jobs
      )
    ],
    examples: [
      "flowclient serve upper -- tr a-z A-Z",
      "flowclient serve resize --jobs 3 -- convert {} -resize 50% {}.small",
    ]
  )

  mutating func read(_ words: CommandWords) throws(UsageError) {
    let divider = words.divider ?? words.operands.count
    guard divider > 0 else { throw UsageError("serve needs a NAME", advice: words.example) }
    command = Array(words.operands[divider...])
    guard divider == 1, !command.isEmpty else {
      throw UsageError(
        "serve needs a NAME, then -- and the command that answers",
        advice: words.example
      )
    }
    name = try CommandWords.name(words.operands[0])
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    try checkCanRun(session.surroundings)
    // Writing to a command that has closed its input must not end the program.
    signal(SIGPIPE, SIG_IGN)
    let remote = try await session.connect()
    defer { remote.close() }
    let outcome = Outcome<ExitCode>(on: session.platform)
    let children = Children()
    let signals = EndingSignals([SIGINT, SIGTERM, SIGHUP], of: session.surroundings) {
      outcome.settle(.success(.done))
    }
    let (words, jobs) = (command, self.jobs.map { Int(clamping: $0) } ?? Self.cores)
    let service = remote.serve(
      name,
      jobs: jobs,
      ended: { outcome.settle(.failure(ClientError($0))) },
      { [remarks = session.remarks, largestValue = remote.largestValue] argument in
        CommandPublisher(
          words: words,
          argument: argument,
          largestValue: largestValue,
          children: children,
          remarks: { remarks.passOn($0) }
        )
      }
    )
    remote.command(.ping(nil)) { [session, name = name] answer in
      // A refusal has settled the outcome before.
      guard case .success = answer, !outcome.isSettled else { return }
      if session.isJSON {
        let members = [("service", JSONText.string(name)), ("jobs", "\(jobs)")]
        return session.surroundings.writeOutput("\(JSONLine.object(members))\n")
      }
      session.remarks.note("serving \(name), \(jobs) at a time; press control-C to stop")
    }
    let result = outcome.wait() ?? .success(.bug)
    service.cancel()
    children.terminate()
    if let number = signals.received { session.surroundings.end(by: number) }
    return try result.get()
  }

  /// Throws before the first call if the command is not executable.
  private func checkCanRun(_ surroundings: any Surroundings) throws(ClientError) {
    // The command's name may contain the value of a call.
    guard let name = command.first, !name.contains("{}") else { return }
    let folders = surroundings.environment("PATH") ?? "/bin:/usr/bin"
    let files =
      name.contains("/")
      ? [name]
      : folders.split(separator: ":", omittingEmptySubsequences: false).map {
        $0.isEmpty ? name : "\($0)/\(name)"
      }
    guard !name.isEmpty, files.contains(where: Self.isProgram) else {
      let reason = name.contains("/") ? "it is no program" : "there is no such program in PATH"
      throw ClientError(.usage, "cannot run \"\(name)\": \(reason)")
    }
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return false }
    return unsafe status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }

  private static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
