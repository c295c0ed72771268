import FlowRemote
import FlowTransport
import FlowWire
import Programs

/// Prints, in the format of Nagios, whether a server and a name work: `check [NAME]`.
struct CheckRequest: ClientCommand {
  var name: String?
  /// A slower answer is a warning.
  var patience = Duration.seconds(1)
  /// A slower answer counts as none.
  var timeout = Duration.seconds(5)

  static let entry = VerbEntry(
    CheckRequest(),
    usage: "check [NAME]",
    group: .server,
    summary: "check the server, or NAME as well; exit 0 to 3, as for Nagios",
    operand: .name,
    options: [
      .value("warn", .time, "exit 1 if the answer takes longer (default 1s)", \.patience),
      .value("timeout", .time, "treat a slower answer as no answer (default 5s)", \.timeout),
    ],
    examples: ["flowclient check", "flowclient check totals --warn 50ms --timeout 2s"]
  )

  mutating func read(_ words: CommandWords) throws(UsageError) {
    name = try words.optionalName()
  }

  func run(in session: ClientSession) async -> ExitCode {
    let start = session.platform.monotonicNanoseconds
    let exit = await session.run(within: timeout) {
      do throws(ClientError) {
        return try await check(session, since: start)
      } catch {
        return Self.report(error, session)
      }
    }
    let late = "no answer within \(Self.text(timeout))"
    return exit ?? Self.say("CRITICAL", late, .critical, session)
  }

  private func check(
    _ session: ClientSession,
    since start: UInt64
  ) async throws(ClientError) -> ExitCode {
    let remote = try await session.connect(reconnects: false)
    defer { remote.close() }
    var state: State?
    var failed: Row?
    try await remote.answer(to: .ping(nil))
    if let name {
      state = State(of: name, try await remote.answer(to: .show(name)).rows.map { Row($0) })
    } else {
      failed = await Self.failedRun(remote)
    }
    let time = Duration.nanoseconds(Int64(session.platform.monotonicNanoseconds - start))
    let run = failed.map { "; run \($0.name) has failed; SHOW \($0.name) says why" }
    let text = "answers in \(Self.text(time))" + (state.map { "; \($0.text)" } ?? run ?? "")
    if state?.isWell == false || failed != nil {
      return Self.say("CRITICAL", text, .critical, session)
    }
    let isSlow =
      time > patience || state?.isHeldUp == true || state?.isStartedAgain == true
    return isSlow
      ? Self.say("WARNING", text, .no, session) : Self.say("OK", text, .done, session)
  }

  /// A run that has failed, as far as the token may know.
  private static func failedRun(_ remote: FlowRemote) async -> Row? {
    let rows = try? await remote.command(.list(.runs)).rows
    return rows?.lazy.map { Row($0) }.first { $0.fields["state"] == "failed" }
  }

  /// The state of a name, from SHOW.
  private struct State {
    let text: String
    let isWell: Bool
    /// Whether its publishers wait for a reader, or have waited for one lately.
    let isHeldUp: Bool
    /// Whether it is a failed run that will restart.
    let isStartedAgain: Bool

    init(of name: String, _ rows: [Row]) {
      let ended = rows.first { $0.kind == .completed }
      let own = rows.filter { $0.kind == .figures }
      let fields: RowFields = own.reduce([:]) { $0 + $1.fields }
      let run = own.first { $0.fields["state"] != nil }
      let hasFailed = fields["state"] == "failed"
      isStartedAgain = fields["state"] == "waiting"
      let isFailure = hasFailed || isStartedAgain
      let failure = isFailure ? rows.first { $0.kind == .failure } : nil
      let isAway = ["away", "full", "lost"].contains(fields["nats"]) || fields["lease"] == "away"
      isWell = ended == nil && !hasFailed && !isAway
      let room = fields.count("room") ?? .max
      let isFull = (fields.count("used") ?? 0) >= room
      let reader = isFull ? rows.first { $0.kind == .reader } : nil
      let holder = rows.first { $0.kind == .subscription && $0.fields["held-up"] != nil }
      isHeldUp = isFull || holder != nil
      let nats = ["nats", "away", "room", "used"].compactMap { key in
        fields[key].map { "\(key)=\($0)" }
      }
      let known = [ended, run, failure].compactMap { $0?.description }
      let facts = (known.isEmpty ? ["exists"] : known) + nats
      let heldUp = (reader ?? holder).map { " held up by \($0.fields)" } ?? ""
      text = "\(name) \(facts.joined(separator: " "))\(heldUp)"
    }
  }

  private static func report(_ error: ClientError, _ session: ClientSession) -> ExitCode {
    switch error.exit {
    case .unreachable, .no, .tryLater, .protocolBroken:
      say("CRITICAL", error.message, .critical, session)
    default: say("UNKNOWN", error.message, .unknown, session)
    }
  }

  private static func say(
    _ word: String,
    _ text: String,
    _ exit: ExitCode,
    _ session: ClientSession
  ) -> ExitCode {
    let object = JSONLine.texts([("status", word), ("server", session.server), ("text", text)])
    session.surroundings.writeOutput(
      session.isJSON ? "\(object)\n" : "\(word) \(session.server): \(text)\n"
    )
    return exit
  }

  private static func text(_ time: Duration) -> String {
    let microseconds = time.inNanoseconds / 1_000
    return microseconds < 10_000 ? "\(microseconds) us" : "\(microseconds / 1_000) ms"
  }
}
