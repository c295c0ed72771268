import Dispatch
import FlowCore
import FlowLanguage
import FlowRemote
import FlowWire
import Glibc

/// Answers calls by running a command for each: `serve NAME -- CMD {}`.
struct Serving {
  private let request: ServeRequest
  private let session: ClientSession

  init(_ request: ServeRequest, _ session: ClientSession) {
    self.request = request
    self.session = session
  }

  func run() async throws(ClientError) -> ExitCode {
    // A command that does not want its input closes the pipe.
    signal(SIGPIPE, SIG_IGN)
    let remote = try await session.connect()
    defer { remote.close() }
    let outcome = Outcome(on: session.platform)
    let children = Children()
    let signals = EndingSignals([SIGINT, SIGTERM, SIGHUP], of: session.surroundings) {
      outcome.settle(.success(.done))
    }
    let (words, jobs) = (request.command, request.jobs ?? Self.cores)
    let service = remote.serve(
      request.name,
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
    remote.command(.ping(nil)) { [session, request] answer in
      // A refusal has come before this.
      guard case .success = answer, !outcome.isSettled else { return }
      if session.isJSON {
        let members = [("service", JSONText.string(request.name)), ("jobs", "\(jobs)")]
        return session.surroundings.writeOutput("\(JSONLine.object(members))\n")
      }
      session.remarks.note("serving \(request.name), \(jobs) at a time; press control-C to stop")
    }
    let result = wait(for: outcome)
    service.cancel()
    children.terminate()
    if let number = signals.received { session.surroundings.end(by: number) }
    return try result.get()
  }

  private func wait(for outcome: Outcome) -> Result<ExitCode, ClientError> {
    outcome.wait() ?? .success(.bug)
  }

  private static var cores: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
