import FlowCore
import FlowRemote
import FlowTransport
import Glibc

/// Draws the input and output of a pipeline as it happens: `marble NAME`.
///
/// It does not affect demand. Without a terminal, it prints the lanes once per second, or once for
/// all of `--for`.
struct Marbling {
  /// The time between two pictures and of a column, in nanoseconds.
  private static let frame: UInt64 = 100_000_000
  /// The columns if the output is not a terminal.
  private static let plainWidth = 100

  let request: MarbleRequest
  let session: ClientSession

  func run() async throws(ClientError) -> ExitCode {
    let connection = MarbleConnection()
    let isDrawn = !session.isJSON && session.surroundings.outputIsTerminal
    let remote = try await session.connect { [session] state in
      // A drawn picture shows the state itself.
      if !isDrawn { session.remarks.state(state, of: session.server) }
      connection.changed(state)
    }
    defer { remote.close() }
    let names: MarbleNames
    do throws(RemoteError) { names = try await MarbleNames.find(request.name, on: remote) } catch {
      throw ClientError(error)
    }
    if request.file != nil, names.expression == nil {
      throw ClientError(
        .usage,
        "--save needs a pipeline or a run whose text can be read; \(request.name) is none"
      )
    }
    let start = session.platform.monotonicNanoseconds
    let events = session.isJSON ? MarbleEvents(session.surroundings, from: start) : nil
    let watches = self.watches(names, events)
    let outcome = Outcome<ExitCode>(on: session.platform)
    let signals = EndingSignals([SIGINT, SIGTERM, SIGHUP], of: session.surroundings) {
      outcome.settle(.success(.done))
    }
    session.surroundings.endWhenOutputBreaks()
    let taps = watches.map { watch in
      let demand = Subscribers.Demand.max(watch.nextDemand())
      return (watch, remote.tap(watch.name, demand: demand, handler: watch))
    }
    let view = MarbleView(request, names, session, connection, remote, taps, start)
    if session.isJSON {
      follow(view, until: outcome) { _ in }
    } else if isDrawn {
      draw(view, until: outcome)
    } else {
      print(view, until: outcome)
    }
    if let error = connection.end { throw ClientError(error) }
    let length = session.platform.monotonicNanoseconds - start
    if let file = request.file { try save(file, names, watches, start, length) }
    // A drawn picture shows these remarks itself.
    for remark in isDrawn ? [] : watches.compactMap({ MarblePicture.remark($0.lane) }) {
      session.remarks.note(remark)
    }
    if let number = signals.received { session.surroundings.end(by: number) }
    return .done
  }

  /// Taps the sources, and then the name.
  private func watches(_ names: MarbleNames, _ events: MarbleEvents?) -> [LaneWatch] {
    func watch(_ name: String, keeps: Bool) -> LaneWatch {
      LaneWatch(name, keeps: keeps, events: events, on: session.platform)
    }
    return names.subjects.map { watch($0, keeps: request.file != nil) }
      + [watch(names.name, keeps: false)]
  }

  /// Requests values ten times a second and calls `show` with the time, until `outcome` or `--for`
  /// ends it.
  private func follow(
    _ view: MarbleView,
    until outcome: Outcome<ExitCode>,
    _ show: (_ now: UInt64) -> Void
  ) {
    let end = request.length.map(session.platform.moment) ?? .max
    while !outcome.isSettled {
      view.step()
      let now = session.platform.monotonicNanoseconds
      show(now)
      if now >= end { break }
      _ = outcome.wait(until: min(end, now + Self.frame))
    }
  }

  // MARK: A terminal

  private func draw(_ view: MarbleView, until outcome: Outcome<ExitCode>) {
    let screen = MarbleScreen(session.surroundings)
    let (start, platform) = (view.start, session.platform)
    let picture = { @Sendable (size: TerminalSize) in
      let now = platform.monotonicNanoseconds
      return view.picture.lines(
        columns: size.columns,
        rows: size.rows,
        column: Self.frame,
        from: start,
        to: now
      )
    }
    let resized = session.surroundings.watchSignal(SIGWINCH) { screen.show(picture) }
    screen.readKeys { wish in
      switch wish {
      case .quit: outcome.settle(.success(.done))
      case .suspend: screen.suspend()
      }
    }
    follow(view, until: outcome) { _ in screen.show(picture) }
    withExtendedLifetime(resized) {}
    // The pictures were on the alternate screen; prints the last one on the normal screen.
    screen.close()
    let columns = session.surroundings.terminalSize.columns
    let now = platform.monotonicNanoseconds
    let last = view.picture.content(columns: columns, column: Self.frame, from: start, to: now)
    session.surroundings.writeOutput(last.map { "\($0)\n" }.joined())
  }

  // MARK: No terminal

  private func print(_ view: MarbleView, until outcome: Outcome<ExitCode>) {
    var nextSecond = view.start + 1_000_000_000
    follow(view, until: outcome) { now in
      guard request.length == nil, now >= nextSecond else { return }
      session.surroundings.writeOutput(view.second(before: nextSecond))
      nextSecond += 1_000_000_000
    }
    guard let length = request.length else { return }
    let lanes = UInt64(Self.plainWidth - 20)
    let column = max(Self.frame / 10, UInt64(max(0, length.inNanoseconds)) / lanes + 1)
    session.surroundings.writeOutput(view.whole(columns: Self.plainWidth, column: column))
  }

  private func save(
    _ path: String,
    _ names: MarbleNames,
    _ watches: [LaneWatch],
    _ start: UInt64,
    _ length: UInt64
  ) throws(ClientError) {
    let sources = watches.dropLast()
    let recording = MarbleRecording(
      sources.map { ($0.name, $0.inputs.all) },
      from: start,
      length: length
    )
    let file = try MarbleFile(
      names,
      recording,
      leftOut: sources.reduce(0) { $0 + $1.lane.leftOut },
      clock: { [platform = session.platform] in platform.processorNanoseconds }
    )
    try TextFile.replace(path, with: file.text, session.surroundings)
    session.remarks.note("wrote \(path): \(file.remark)")
  }
}
