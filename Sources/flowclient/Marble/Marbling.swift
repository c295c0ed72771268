import FlowCore
import FlowFiles
import FlowRemote
import FlowTransport
import FlowWire
import Glibc
import Synchronization

/// Draws what goes in and out of a pipeline as it happens: `marble NAME`.
///
/// It only looks on. Into anything but a terminal it prints the lanes once per second, or once for
/// all of `--for`.
struct Marbling {
  /// How often a terminal is drawn, and how long a column of it is, in nanoseconds.
  private static let frame: UInt64 = 100_000_000
  /// The columns of what is no terminal.
  private static let plainWidth = 100

  let request: MarbleRequest
  let session: ClientSession

  func run() async throws(ClientError) -> ExitCode {
    let connection = MarbleConnection()
    let isDrawn = !session.isJSON && session.surroundings.outputIsTerminal
    let remote = try await session.connect { [session] state in
      // A picture shows it itself.
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
    let outcome = Outcome(on: session.platform)
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
      try look(view, until: outcome)
    } else if isDrawn {
      try draw(view, until: outcome)
    } else {
      try print(view, until: outcome)
    }
    let length = session.platform.monotonicNanoseconds - start
    if let file = request.file { try save(file, names, watches, start, length) }
    // They stand in the picture that is drawn.
    for remark in isDrawn ? [] : watches.compactMap({ MarblePicture.remark($0.lane) }) {
      session.remarks.note(remark)
    }
    if let number = signals.received { session.surroundings.end(by: number) }
    return .done
  }

  /// The sources, and then what comes out.
  private func watches(_ names: MarbleNames, _ events: MarbleEvents?) -> [LaneWatch] {
    func watch(_ name: String, keeps: Bool) -> LaneWatch {
      LaneWatch(name, label: name, keeps: keeps, events: events, on: session.platform)
    }
    return names.subjects.map { watch($0, keeps: request.file != nil) }
      + [watch(names.name, keeps: false)]
  }

  private var end: UInt64? { request.length.map(session.platform.moment) }

  // MARK: A terminal

  private func draw(_ view: MarbleView, until outcome: Outcome) throws(ClientError) {
    let end = end
    let screen = MarbleScreen(session.surroundings)
    defer { screen.close() }
    func picture(_ size: TerminalSize) -> [String] {
      view.lines(columns: size.columns, rows: size.rows, column: Self.frame)
    }
    let resized = session.surroundings.watchSignal(SIGWINCH) {
      screen.show { view.lines(columns: $0.columns, rows: $0.rows, column: Self.frame) }
    }
    screen.readKeys { wish in
      switch wish {
      case .quit: outcome.settle(.success(.done))
      case .suspend: screen.suspend()
      }
    }
    while !outcome.isSettled {
      view.step()
      screen.show(picture)
      let now = session.platform.monotonicNanoseconds
      if let end, now >= end { break }
      _ = outcome.wait(until: min(end ?? .max, now + Self.frame))
    }
    withExtendedLifetime(resized) {}
    // The picture was on the terminal's other screen: the last one stays on the usual one.
    screen.close()
    let last = view.content(columns: session.surroundings.terminalSize.columns, column: Self.frame)
    session.surroundings.writeOutput(last.map { "\($0)\n" }.joined())
    try view.check()
  }

  // MARK: Anything else

  /// Only looks on, while events are printed.
  private func look(_ view: MarbleView, until outcome: Outcome) throws(ClientError) {
    let end = end
    while !outcome.isSettled {
      view.step()
      let now = session.platform.monotonicNanoseconds
      if let end, now >= end { break }
      _ = outcome.wait(until: min(end ?? .max, now + Self.frame))
    }
    try view.check()
  }

  private func print(_ view: MarbleView, until outcome: Outcome) throws(ClientError) {
    let end = end
    var nextSecond = view.start + 1_000_000_000
    while !outcome.isSettled {
      view.step()
      let now = session.platform.monotonicNanoseconds
      if let end, now >= end { break }
      if end == nil, now >= nextSecond {
        session.surroundings.writeOutput(view.second(before: nextSecond))
        nextSecond += 1_000_000_000
      }
      _ = outcome.wait(until: min(end ?? .max, now + Self.frame))
    }
    if let length = request.length {
      let lanes = UInt64(Self.plainWidth - 20)
      let column = max(Self.frame / 10, UInt64(max(0, length.inNanoseconds)) / lanes + 1)
      session.surroundings.writeOutput(view.whole(columns: Self.plainWidth, column: column))
    }
    try view.check()
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

/// How the connection stands, for whoever draws it.
final class MarbleConnection: Sendable {
  private let state = Mutex<FlowRemote.State>(.connected)

  func changed(_ new: FlowRemote.State) { state.withLock { $0 = new } }

  /// What is wrong, if something is.
  var trouble: String? {
    switch state.withLock({ $0 }) {
    case .connected: nil
    case .reconnecting(let error, _): "reconnecting: \(error.text)"
    case .closed(let error): "closed: \(error.text)"
    }
  }

  /// Why it is gone for good, if it is.
  var end: RemoteError? {
    if case .closed(let error) = state.withLock({ $0 }) { error } else { nil }
  }
}

/// What is looked at, as it is now.
final class MarbleView: Sendable {
  let start: UInt64
  private let request: MarbleRequest
  private let names: MarbleNames
  private let session: ClientSession
  private let connection: MarbleConnection
  private let remote: FlowRemote
  private let taps: [(watch: LaneWatch, subscription: RemoteSubscription)]
  private let shown = Mutex((stages: [Row](), isAsking: false, steps: 0))
  /// SHOW is asked once in so many steps.
  private static let pause = 5
  /// A column of the lanes of one second.
  private static let piece: UInt64 = 25_000_000

  init(
    _ request: MarbleRequest,
    _ names: MarbleNames,
    _ session: ClientSession,
    _ connection: MarbleConnection,
    _ remote: FlowRemote,
    _ taps: [(LaneWatch, RemoteSubscription)],
    _ start: UInt64
  ) {
    self.request = request
    self.names = names
    self.session = session
    self.connection = connection
    self.remote = remote
    self.taps = taps
    self.start = start
  }

  /// Asks for as many values as may come until the next step, and now and then for the figures.
  func step() {
    for (watch, subscription) in taps {
      let more = watch.nextDemand()
      if more > 0 { subscription.request(.max(more)) }
    }
    let asks = shown.withLock { shown in
      shown.steps += 1
      guard !shown.isAsking, shown.steps % Self.pause == 1, !names.isSubject else { return false }
      shown.isAsking = true
      return true
    }
    guard asks else { return }
    remote.command(.show(request.name)) { [self] answer in
      shown.withLock { shown in
        shown.isAsking = false
        if case .success(let answer) = answer {
          shown.stages = answer.rows.map { Row($0) }.filter { $0.kind == .stage }
        }
      }
    }
  }

  /// Fails when the connection is gone for good.
  func check() throws(ClientError) {
    if let error = connection.end { throw ClientError(error) }
  }

  func lines(columns: Int, rows: Int, column: UInt64) -> [String] {
    picture.lines(
      columns: columns,
      rows: rows,
      column: column,
      from: start,
      to: session.platform.monotonicNanoseconds
    )
  }

  func content(columns: Int, column: UInt64) -> [String] {
    picture.content(
      columns: columns,
      column: column,
      from: start,
      to: session.platform.monotonicNanoseconds
    )
  }

  private var picture: MarblePicture {
    let dot = request.isASCII ? "-" : "·"
    let title = ["marble \(names.name)", session.server, "0.1 s a column"]
    var picture = MarblePicture(title: title.joined(separator: " \(dot) "))
    picture.lanes = taps.map(\.watch.lane)
    picture.stages = shown.withLock { $0.stages }
    picture.trouble = connection.trouble
    picture.isASCII = request.isASCII
    if names.expression == nil, !names.isSubject {
      picture.note = "what it reads cannot be told: only its output is shown"
    }
    return picture
  }

  /// The lanes of one second, for a file or a pipe.
  func second(before end: UInt64) -> String {
    let lanes = taps.map(\.watch.lane)
    let wide = LaneDrawing(width: 160, isASCII: request.isASCII, column: Self.piece)
    let drawing = LaneDrawing(
      width: wide.labelWidth(lanes.map(\.label)) + 41,
      isASCII: request.isASCII,
      column: Self.piece
    )
    let time = "\((end - start) / 1_000_000_000)s"
    let lines = drawing.lines(lanes, from: start, to: end - 1)
    return lines.map { "\(time) \($0)\n" }.joined()
  }

  /// All lanes from the start on.
  func whole(columns: Int, column: UInt64) -> String {
    let lanes = taps.map(\.watch.lane)
    let drawing = LaneDrawing(width: columns, isASCII: request.isASCII, column: column)
    let lines = drawing.lines(lanes, from: start, to: session.platform.monotonicNanoseconds)
    return lines.map { "\($0)\n" }.joined()
      + shown.withLock { StageTable.lines($0.stages, width: columns, isASCII: request.isASCII) }
      .map { "\($0)\n" }.joined()
  }
}
