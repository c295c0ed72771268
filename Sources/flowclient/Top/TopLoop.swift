import FlowRemote
import FlowTransport
import FlowWire
import Glibc

enum TopEvent: Sendable {
  /// It is time for the next WATCH.
  case due
  case answer(Result<RemoteAnswer, RemoteError>, to: TopQuestion)
  case state(FlowRemote.State)
  /// Typed keys; nil at their end.
  case typed([UInt8]?)
  case inputEnded
  case resized
}

/// The arguments of a WATCH.
struct TopQuestion: Equatable, Sendable {
  var name: String?
  var stream: StreamPlace?
  var filter: String
}

/// Sends WATCH, handles answers and keys, and shows the picture, one event after the other.
struct TopLoop {
  private let request: TopRequest
  private let session: ClientSession
  private let remote: FlowRemote
  private let inlet: AsyncStream<TopEvent>.Continuation
  private let fillsScreen: Bool
  /// The terminal, if `top` fills one.
  var terminal: Terminal?
  /// The signal that a key stands for.
  private(set) var signal: Int32?

  private var picture = TopPicture()
  private var state: TopState
  private var keys = KeyReader()
  private var screen: TopScreen
  private var isAsking = false
  private var asksAgain = false
  /// The question that the current topology answers.
  private var known: TopQuestion?
  private var left: UInt64?
  private var hasHeader = false
  /// When the last picture was shown, in nanoseconds.
  private var shown: UInt64 = 0

  init(
    _ request: TopRequest,
    _ session: ClientSession,
    _ remote: FlowRemote,
    _ inlet: AsyncStream<TopEvent>.Continuation,
    fillsScreen: Bool
  ) {
    self.request = request
    self.session = session
    self.remote = remote
    self.inlet = inlet
    self.fillsScreen = fillsScreen
    state = TopState(request)
    screen = TopScreen(session)
    left = request.count
  }

  mutating func begin() {
    inlet.yield(.due)
    draw()
  }

  /// Handles an event; returns the exit code at the end.
  mutating func handle(_ event: TopEvent) throws(ClientError) -> ExitCode? {
    switch event {
    case .due:
      sendWatch()
      // Asks more often until rates and a verdict are known, and often enough that the server keeps observing.
      let longest = picture.isReady ? Duration.seconds(2) : .milliseconds(250)
      let wait = min(request.interval, longest)
      session.platform.run(after: UInt64(wait.inNanoseconds)) { [inlet] in inlet.yield(.due) }
    case .answer(let result, let question): return try receive(result, question)
    case .state(let state): try follow(state)
    case .typed(nil), .inputEnded: return .done
    case .typed(let bytes?):
      for key in keys.readAtOnce(bytes) {
        if let exit = press(key) { return exit }
      }
    case .resized: break
    }
    draw()
    return nil
  }

  // MARK: Asking

  private var question: TopQuestion {
    TopQuestion(
      name: state.detail,
      stream: state.stream,
      filter: state.detail == nil ? state.filter : ""
    )
  }

  private mutating func sendWatch() {
    guard !isAsking else { return asksAgain = true }
    isAsking = true
    asksAgain = false
    let question = question
    let command = Command.watch(
      name: question.name,
      stream: question.stream,
      filter: question.filter.isEmpty ? nil : question.filter,
      known: known == question ? picture.topology?.changes : nil
    )
    remote.command(command) { [inlet] in inlet.yield(.answer($0, to: question)) }
  }

  private mutating func receive(
    _ result: Result<RemoteAnswer, RemoteError>,
    _ question: TopQuestion
  ) throws(ClientError) -> ExitCode? {
    isAsking = false
    switch result {
    case .success(let answer):
      guard question == self.question else { break }
      guard let answer = WatchAnswer(rows: answer.rows) else {
        throw ClientError(.protocolBroken, "the server's answer to WATCH has no sample")
      }
      if let stream = question.stream, let watched = answer.sample.watched, watched.stream == nil {
        let advice = "flowclient top \(watched.name) shows it"
        throw ClientError(.no, "stream \(stream) runs no stages of \(watched.name)", advice: advice)
      }
      if answer.topology != nil { known = question }
      guard !state.isPaused else { break }
      state.trouble = nil
      picture.add(answer)
      guard isTimeToShow() || asksAgain else { return nil }
      if let exit = print() { return exit }
    case .failure(.refused(let code, let text)):
      // A deleted name may return.
      guard fillsScreen, picture.sample != nil else {
        throw ClientError(.refused(code: code, text: text))
      }
      if question == self.question { state.trouble = "\(code) \(text)" }
    case .failure(.lost), .failure(.unresponsive), .failure(.unreachable): break
    case .failure(let error) where error.isLast: throw ClientError(error)
    case .failure: break
    }
    if asksAgain { sendWatch() }
    draw()
    return nil
  }

  /// Whether to show the next picture; incomplete ones are shown at once.
  private mutating func isTimeToShow() -> Bool {
    guard picture.isReady else { return true }
    let now = session.platform.monotonicNanoseconds
    let length = UInt64(request.interval.inNanoseconds)
    guard now >= shown &+ length * 9 / 10 || shown == 0 else { return false }
    shown = now
    return true
  }

  private mutating func follow(_ state: FlowRemote.State) throws(ClientError) {
    switch state {
    case .connected:
      known = nil
      self.state.trouble = nil
      if isAsking { asksAgain = true } else { sendWatch() }
    case .reconnecting:
      known = nil
      self.state.trouble = "lost \(session.server), reconnecting…"
    case .closed(let error): throw ClientError(error)
    }
  }

  // MARK: Keys

  private mutating func press(_ key: TerminalKey) -> ExitCode? {
    let names = picture.names(by: state.sort).map(\.name)
    let page = TopView.page(rows: session.surroundings.terminalSize.rows)
    let streams = state.detail.map(picture.streams) ?? []
    switch state.press(key, names: names, page: page, streams: streams) {
    case .quit: return .done
    case .interrupt:
      signal = SIGINT
      return .done
    case .suspend:
      terminal?.suspend()
      screen.forget()
    case .ask:
      shown = 0
      sendWatch()
    case nil: break
    }
    return nil
  }

  // MARK: Showing

  private mutating func draw() {
    guard fillsScreen else { return }
    let size = session.surroundings.terminalSize
    screen.show(view(columns: size.columns).screen(rows: size.rows), size)
  }

  private func view(columns: Int) -> TopView {
    TopView(
      picture: picture,
      state: state,
      server: session.server,
      columns: columns,
      isASCII: request.isASCII
    )
  }

  /// Prints and counts a picture; on a full screen only counts it.
  private mutating func print() -> ExitCode? {
    guard picture.isReady else { return nil }
    if !fillsScreen {
      let lines = lines
      session.surroundings.writeOutput(lines.map { "\($0)\n" }.joined())
    }
    guard let count = left else { return nil }
    left = count - 1
    guard count == 1 else { return nil }
    draw()
    return .done
  }

  private var lines: [String] {
    mutating get {
      let report = TopReport(
        picture: picture,
        name: request.name,
        stream: request.stream,
        sort: request.sort
      )
      defer { hasHeader = true }
      switch request.form {
      case .json: return [report.json()]
      case .csv: return (hasHeader ? [] : [report.header]) + report.rows()
      case .text:
        let columns = session.surroundings.textWidth ?? 10_000
        let whole = view(columns: columns).whole.map(\.text)
        return (hasHeader ? [""] : []) + whole
      }
    }
  }
}

extension RemoteError {
  /// Whether asking again is useless.
  fileprivate var isLast: Bool {
    switch self {
    case .closed, .protocolBroken: true
    default: false
    }
  }
}
