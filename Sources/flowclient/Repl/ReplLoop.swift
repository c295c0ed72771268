import FlowRemote
import FlowTransport
import FlowWire

/// A conversation at a terminal, one event after the other.
struct ReplLoop {
  /// The state of the connection.
  enum Connection {
    case open(TypedConversation)
    /// Lost, and tried again later; `isTold` says whether a failed attempt was reported.
    case lost(isTold: Bool)
  }

  let session: ClientSession
  let inbox: ReplInbox
  let dialer: ReplDialer
  let terminal: Terminal
  let inlet: AsyncStream<ReplEvent>.Continuation
  let colors: ReplColors
  let historyFile: HistoryFile

  var connection = Connection.lost(isTold: false)
  var attempts = Attempts()
  var exchange = Exchange()
  var isLeaving = false
  /// Whether the server has refused something.
  var worst = ExitCode.done

  var editor = LineEditor()
  var keys = KeyReader()
  /// Whether control-Z has stopped the program, which a signal will tell as well.
  private var hasSuspended = false
  /// The number of the last key, which tells Escape from the start of a sequence.
  var lastKey: UInt64 = 0
  var history: History
  var search: ReverseSearch?
  var completer = Completer()
  /// The proposals of Tab, until the next key.
  var menu: [String] = []
  /// Whether Tab completed nothing while the names were being asked for, and no key has come since.
  var isTabWaiting = false
  private var examined: (characters: [Character], mistake: Diagnosis?) = ([], nil)

  var isPaused = false
  var held = HeldItems()
  /// The streams that were open when the connection was lost.
  var wereOpen: [OpenStream] = []
  var listing = Listing()
  var paste = Pasting()
  var file = SessionFile()
  var saving: Saving?
  /// The streams that control-C has cancelled, until the server has confirmed it.
  var stopped: Set<StreamID> = []

  private var screen: ReplScreen
  /// The text to be printed above the line, with its line ends.
  private var output = ""

  init(
    _ session: ClientSession,
    _ inbox: ReplInbox,
    _ dialer: ReplDialer,
    _ terminal: Terminal,
    _ inlet: AsyncStream<ReplEvent>.Continuation
  ) {
    self.session = session
    self.inbox = inbox
    self.dialer = dialer
    self.terminal = terminal
    self.inlet = inlet
    colors = ReplColors(session.surroundings, isColored: session.isColored)
    historyFile = HistoryFile(session.surroundings.value(of:))
    history = historyFile.read(session.platform)
    screen = ReplScreen(colors)
    dialer.tracing.isOn = session.traces
  }

  mutating func begin(_ conversation: TypedConversation) {
    attach(conversation)
    say(
      "connected to \(session.server); :help shows keys, HELP commands, control-D leaves",
      code: 2
    )
    draw()
  }

  /// Handles an event; returns the exit code at the end.
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
      if since == lastKey { for key in keys.settle() { press(key) } }
    case .arrived: exit = try takeArrivals()
    case .connected(let conversation): reconnected(conversation)
    case .unreachable(let error): try retryLater(error)
    case .retry: dialer.connectAgain()
    case .resized: break
    case .continued where hasSuspended: hasSuspended = false
    case .continued:
      terminal.renew()
      screen.forget()
      output = "\r\n" + output
    case .ended, .overdue: exit = worst
    }
    if exit == nil { draw() }
    return exit
  }

  private mutating func type(_ bytes: [UInt8]) -> ExitCode? {
    lastKey &+= 1
    for key in keys.read(bytes) {
      press(key)
      if isDone { return worst }
    }
    if keys.isUndecided {
      session.platform.run(after: 500_000_000) { [inlet, lastKey] in
        inlet.yield(.silent(since: lastKey))
      }
    }
    return nil
  }

  /// Whether nothing has to be waited for any more.
  var isDone: Bool {
    if case .lost = connection, isLeaving { return true }
    return false
  }

  // MARK: Showing

  /// Prints a line above what is being typed.
  mutating func say(_ text: String, code: Int? = nil) {
    output += colors.text(DisplayText.visible(text), code: code) + "\n"
  }

  /// Prints what was made visible already, colours included.
  mutating func sayRaw(_ text: String) { output += text + "\n" }

  mutating func draw() {
    var text = ""
    if !output.isEmpty {
      text = screen.erase() + output
      output = ""
    }
    let size = session.surroundings.terminalSize
    text += screen.show(view.picture(size), columns: size.columns)
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

  /// Leaves what was being typed where it is, and the cursor below.
  mutating func close() {
    var text = screen.erase() + output
    output = ""
    if !editor.isEmpty {
      text += "\(colors.text(prompt, code: 1))\(DisplayText.visible(editor.text))\n"
    }
    session.surroundings.writeOutput(text)
    dropConnection()
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
    return isPaused ? "paused> " : "flow> "
  }

  private var below: [String] {
    var rows = menu
    if isPaused {
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

  /// The meaning of keys on a line that is empty, or has only a number.
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
