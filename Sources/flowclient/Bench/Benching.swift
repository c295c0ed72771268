import FlowRemote
import FlowTransport
import FlowWire
import Glibc

struct Benching {
  let request: BenchRequest
  let session: ClientSession

  func run() async throws(ClientError) -> ExitCode {
    let deadline = request.timeout.map(session.platform.moment)
    let address = try address
    try checkDescriptors()
    // The first connection checks that the server responds, and keeps the subject alive.
    let remote = try await session.connect(reconnects: false)
    defer { remote.close() }
    if request.size > remote.largestValue, request.form.publishes {
      let most = Figure.count(UInt64(remote.largestValue))
      throw ClientError(
        .usage,
        "--size is \"\(request.size)\", but the server accepts at most \(most)"
      )
    }
    let subject = request.subject ?? Self.uniqueName
    let target = BenchTarget(server: session.server, subject: subject, token: try session.token)
    let run = BenchRun(request, target)
    // Watches signals before it makes anything that must be deleted.
    let signals = EndingSignals(of: session.surroundings) { run.stop() }
    if request.subject == nil {
      let settings = SubjectSettings(flow: request.flow)
      try await remote.answer(to: .subject(name: subject, settings))
    }
    run.start(to: address)
    let result = wait(for: run, until: deadline)
    let report = run.report()
    if request.subject == nil { delete(subject, remote) }
    if case .failure(let error) = result { throw error }
    show(report)
    if let number = signals.received { session.surroundings.end(by: number) }
    return try judge(report, fatal: run.fatal, isInTime: result != nil)
  }

  /// Waits for the end; meanwhile shows the progress on a terminal, four times a second.
  private func wait(for run: BenchRun, until deadline: UInt64?) -> Result<ExitCode, ClientError>? {
    let surroundings = session.surroundings
    guard surroundings.errorIsTerminal, !session.remarks.isQuiet, !surroundings.terminalIsDumb
    else { return run.outcome.wait(until: deadline) }
    defer { surroundings.writeError("\r\u{1b}[K") }
    var before = run.progress.sample
    while true {
      let next = min(deadline ?? .max, session.platform.moment(after: .milliseconds(250)))
      if let result = run.outcome.wait(until: next) { return result }
      if next == deadline { return nil }
      let sample = run.progress.sample
      let line = run.progress.line(sample, before, seconds: 0.25, now: run.clock.now)
      surroundings.writeError("\r\u{1b}[K\(line)")
      before = sample
    }
  }

  private var address: SocketAddress {
    get throws(ClientError) {
      do throws(TransportError) {
        return try SocketAddress(parsing: session.server)
      } catch {
        throw ClientError(connecting: .unreachable(error.message), to: session.server)
      }
    }
  }

  private func checkDescriptors() throws(ClientError) {
    let limit = EventLoop.raiseDescriptorLimit()
    let needed = request.publishers + request.subscribers + 64
    guard limit < needed else { return }
    throw ClientError(
      .usage,
      "these connections need \(needed) file descriptors, but the limit is \(limit)",
      advice: "raise it as root: ulimit -Hn \(needed)"
    )
  }

  /// Deletes the subject, but does not wait long for a silent server.
  private func delete(_ subject: String, _ remote: FlowRemote) {
    let deleted = Outcome<ExitCode>(on: session.platform)
    remote.command(.delete(subject)) { _ in deleted.settle(.success(.done)) }
    _ = deleted.wait(until: session.platform.moment(after: .seconds(2)))
  }

  private static var uniqueName: String {
    "bench-\(getpid())-\(String(UInt32.random(in: .min ... .max), radix: 36))"
  }

  private func show(_ report: BenchReport) {
    switch request.output {
    case .text: session.surroundings.writeOutput(report.text(isColored: session.isColored))
    case .json: session.surroundings.writeOutput(report.json())
    case .csv: session.surroundings.writeOutput(report.csv())
    }
  }

  private func judge(
    _ report: BenchReport,
    fatal: ClientError?,
    isInTime: Bool
  ) throws(ClientError) -> ExitCode {
    if let fatal { throw fatal }
    guard isInTime else { throw ClientError(.timeout, "timed out") }
    let complaints = report.complaints
    guard complaints.isEmpty else {
      throw ClientError(.no, complaints.joined(separator: "; "))
    }
    return .done
  }
}
