import FlowFiles
import FlowRemote
import FlowTransport
import FlowWire

// MARK: - Entered lines
extension ReplLoop {
  mutating func enter() {
    let text = editor.text
    if exchange.isFeeding || exchange.isRaw {
      guard case .open = connection else { return }
      echo(text)
      editor.set("")
      // During a TAIL the server reads no commands.
      return exchange.isRaw && ReplCommand.isExit(text) ? leave() : send(text, by: .typed)
    }
    guard text.contains(where: { !$0.isWhitespace }) else {
      echo(text)
      return editor.set("")
    }
    if TypedLine(editor.characters).continuesOnNextLine {
      _ = editor.press(.lineBreak)
      return
    }
    submit(text.trimmingLineEnds)
  }

  private mutating func submit(_ text: String) {
    let isOwn = text.first == ":" && text.dropFirst().first?.isLetter ?? false
    if ReplCommand.isExit(text) {
      echo(text)
      editor.set("")
      return leave()
    }
    if !isOwn, case .lost = connection {
      say("not connected to \(session.server); the line is kept", code: 31)
      return
    }
    if !isOwn, let problem = problem(with: text) { return say(problem, code: 31) }
    echo(text)
    editor.set("")
    remember(text)
    if isOwn { return perform(text) }
    send(Self.oneLine(text), by: .typed)
  }

  /// Adds a line to the history and its file.
  mutating func remember(_ line: String) {
    if history.add(line) { HistoryFile(session.surroundings.value(of:)).append(line) }
  }

  /// Returns why a line must not be sent: the server would read no further line from this
  /// connection.
  func problem(with line: String) -> String? {
    guard !exchange.streams.isEmpty, case .tail? = (try? TaggedCommand(line))?.command else {
      return nil
    }
    return "TAIL needs a connection of its own, and this one has open streams; CANCEL ends them"
  }

  /// Prints a line as typed.
  mutating func echo(_ text: String) {
    let indent = String(repeating: " ", count: max(0, DisplayText.width(prompt) - 4)) + "... "
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let head = colors.text(number == 0 ? prompt : indent, code: 1)
      sayRaw(head + DisplayText.visible(String(line)))
    }
  }

  /// Joins several lines into one protocol line.
  static func oneLine(_ text: String) -> String {
    guard text.contains("\n") else { return text }
    let statements = FlowFile(text, name: "line").statements
    if statements.count == 1, let line = statements.first?.line.text { return line }
    return CommandWords.joinLines(text)
  }

  /// Sends a line; there must be a connection.
  mutating func send(_ line: String, by origin: Exchange.Origin) {
    guard case .open(let conversation) = connection else { return }
    exchange.send(line, by: origin)
    if case .quit? = (try? TaggedCommand(line))?.command, origin == .typed { isLeaving = true }
    conversation.send(Array("\(line)\n".utf8))
  }

  mutating func leave() {
    isLeaving = true
    guard case .open(let conversation) = connection else { return }
    let end = exchange.isFeeding ? FeedDecoder.end : []
    conversation.send(end + Command.quit(now: true).bytes)
    session.platform.run(after: 1_000_000_000) { [inlet] in inlet.yield(.overdue) }
  }

  // MARK: Commands of the client

  private mutating func perform(_ text: String) {
    do throws(ReplCommand.Refusal) {
      switch try ReplCommand(text) {
      case .pause: held.isPaused = true
      case .resume: resume()
      case .help:
        let width = session.surroundings.terminalSize.columns - 1
        for line in ReplCommand.helpLines(width) { say(line) }
      case .quit: leave()
      case .trace(let choice):
        inbox.isTracing = choice ?? !inbox.isTracing
        say("trace is \(inbox.isTracing ? "on" : "off")", code: 2)
      case .save(let path, let replaces): save(path, replaces: replaces)
      }
    } catch {
      say(error.text, code: 31)
    }
  }

  private mutating func resume() {
    guard held.isPaused else { return say("nothing is held back", code: 2) }
    for item in held.resume() { show(item) }
    inlet.yield(.arrived)
  }

  // MARK: Saving

  private mutating func save(_ path: String, replaces: Bool) {
    guard !file.entries.isEmpty else {
      return say("nothing was defined in this session; SUBJECT, PIPELINE and RUN do", code: 31)
    }
    file.saving = Saving(path: path, replaces: replaces)
    saveWhenComplete()
  }

  /// Requests one missing definition after the other, then writes the file.
  mutating func saveWhenComplete() {
    guard let saving = file.saving else { return }
    if let name = file.missing(completer.names).first(where: { !saving.refused.contains($0) }),
      case .open(let conversation) = connection, !exchange.isFeeding, !exchange.isRaw
    {
      file.saving?.asked = name
      conversation.send(TaggedCommand(tag: Saving.tag, .show(name)).bytes)
      return
    }
    file.saving = nil
    if let finding = file.finding {
      return say("not saved, lint would not like it: \(finding.message)", code: 31)
    }
    do throws(ClientError) {
      try saving.write(file.text, session.platform)
      let count = file.text.split(separator: "\n").count
      say("\(saving.path): \(Figure.counted(count, "definition"))", code: 2)
    } catch {
      say("not saved: \(error.message)", code: 31)
    }
  }
}
