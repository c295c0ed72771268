import FlowRemote
import FlowTransport
import FlowWire

/// Handles the events of a conversation at a terminal, one after the other.
struct ReplLoop {
  enum Connection {
    case open(TypedConversation)
    /// Lost, with a retry pending; `isTold` says whether a failed attempt was reported.
    case lost(isTold: Bool)
  }

  let dialer: ReplDialer
  private let terminal: Terminal

  var connection = Connection.lost(isTold: false)
  var attempts = Attempts()
  var exchange = Exchange()
  var isLeaving = false
  /// The exit code: whether the server has refused something.
  var worst = ExitCode.done

  var editor = LineEditor()
  private var keys = TypedKeys()
  /// Whether control-Z has stopped the program, which a signal also reports.
  private var hasSuspended = false
  var history: History
  var search: ReverseSearch?
  var completer = Completer()
  var menu = ReplMenu()
  private var examined: (characters: [Character], mistake: Diagnosis?) = ([], nil)

  var held = HeldItems()
  var listing = Listing()
  var paste = Pasting()
  var file = SessionFile()
  private var screen: ReplScreen

  init(_ dialer: ReplDialer, _ terminal: Terminal) {
    self.dialer = dialer
    self.terminal = terminal
    let session = dialer.session
    history = HistoryFile(session.surroundings.value(of:)).read(session.platform)
    screen = ReplScreen(ReplColors(session.surroundings, isColored: session.isColored))
    dialer.inbox.isTracing = session.traces
  }

  var session: ClientSession { dialer.session }
  var inbox: ReplInbox { dialer.inbox }
  var inlet: AsyncStream<ReplEvent>.Continuation { dialer.inlet }
  var colors: ReplColors { screen.colors }

  mutating func begin(_ conversation: TypedConversation) {
    attach(conversation)
    say(
      "connected to \(session.server); :help shows keys, HELP commands, control-D leaves",
      code: 2
    )
    draw()
  }

  mutating func handle(_ event: ReplEvent) throws(ClientError) -> ExitCode? {
    var exit: ExitCode?
    switch event {
    case .typed(nil, let taken):
      taken()
      exit = worst
    case .typed(let bytes?, let taken):
      exit = type(bytes)
      taken()
    case .silent(let since):
      for key in keys.settle(since: since) { press(key) }
    case .arrived: exit = try takeArrivals()
    case .connected(let conversation): reconnected(conversation)
    case .unreachable(let error): try retryLater(error)
    case .retry: dialer.connectAgain()
    case .resized: break
    case .continued where hasSuspended: hasSuspended = false
    case .continued:
      terminal.renew()
      screen.forget()
      screen.output = "\r\n" + screen.output
    case .ended, .overdue: exit = worst
    }
    if exit == nil { draw() }
    return exit
  }

  private mutating func type(_ bytes: [UInt8]) -> ExitCode? {
    for key in keys.read(bytes) {
      press(key)
      if isLeaving, case .lost = connection { return worst }
    }
    if keys.isUndecided {
      session.platform.run(after: 500_000_000) { [inlet, last = keys.last] in
        inlet.yield(.silent(since: last))
      }
    }
    return nil
  }

  // MARK: Showing

  /// Prints a line above the input.
  mutating func say(_ text: String, code: Int? = nil) {
    sayRaw(colors.text(DisplayText.visible(text), code: code))
  }

  /// Prints text that is already escaped, colours included.
  mutating func sayRaw(_ text: String) { screen.output += text + "\n" }

  mutating func draw() {
    let size = session.surroundings.terminalSize
    let picture = view.picture(size)
    let text = screen.draw(picture, columns: size.columns)
    if !text.isEmpty { session.surroundings.writeOutput(text) }
  }

  mutating func clearScreen() {
    screen.forget()
    session.surroundings.writeOutput("\u{1b}[H\u{1b}[2J")
  }

  mutating func suspend() {
    session.surroundings.writeOutput(screen.leave())
    hasSuspended = true
    terminal.suspend()
  }

  /// Leaves the input on the screen, with the cursor below.
  mutating func close() {
    var text = screen.flush()
    if !editor.isEmpty {
      text += "\(colors.text(prompt, code: 1))\(DisplayText.visible(editor.text))\n"
    }
    session.surroundings.writeOutput(text)
    connection = .lost(isTold: false)
  }

  private var view: ReplView {
    mutating get {
      var view = ReplView()
      view.isColored = colors != .none
      view.below = below
      if let search {
        view.prompt = "\(search.isFailed ? "no older" : "search"): \(search.pattern) > "
        view.characters = Array(search.found?.line ?? "")
        let start = search.matchStart ?? 0
        view.cursor = start
        view.match = search.pattern.isEmpty ? nil : start..<(start + search.pattern.count)
        return view
      }
      view.prompt = prompt
      view.characters = editor.characters
      view.cursor = editor.cursor
      view.hint = hint
      view.mistake = mistake
      return view
    }
  }

  var prompt: String {
    if case .lost = connection { return "no connection> " }
    if exchange.isFeeding { return "feed> " }
    return held.isPaused ? "paused> " : "flow> "
  }

  private var below: [String] {
    var rows = menu.rows
    if held.isPaused {
      let full = held.isFull ? ", and nothing more is read" : ""
      rows.append("\(held.values) values wait\(full); :resume shows them")
    }
    return rows
  }

  private var hint: String {
    guard !exchange.isFeeding, !exchange.isRaw else { return "" }
    if let hint = demandHint { return hint }
    guard editor.isAtEnd, editor.characters.count <= 4096 else { return "" }
    return Hints.hint(editor.characters)
  }

  /// The meaning of the keys on a line that is empty or a number.
  private var demandHint: String? {
    guard let current = exchange.current, let stream = exchange.streams[current] else { return nil }
    let title = "\(stream.id) \(stream.title)"
    if editor.isEmpty {
      return "\(title): \(stream.demand) to come; + one more, 5+ five, * all"
    }
    guard let keys = DemandKeys(editor.text, "+") else { return nil }
    let name = keys.stream.map { "stream \($0)" } ?? title
    return "+ asks for \(keys.count.map { "\($0)" } ?? "all") of \(name)"
  }

  private var mistake: Diagnosis? {
    mutating get {
      guard !exchange.isFeeding, !exchange.isRaw else { return nil }
      if examined.characters != editor.characters {
        let names = completer.names
        examined = (
          editor.characters, Diagnosis(editor.characters, known: { names.contains($0) })
        )
      }
      return examined.mistake
    }
  }
}
