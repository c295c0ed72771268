import FlowRemote
import FlowTransport
import FlowWire

// MARK: - Input from the server
extension ReplLoop {
  /// Handles the items in the inbox; returns the exit code at the end.
  mutating func takeArrivals() throws(ClientError) -> ExitCode? {
    // Leaves the items in the inbox, which fills up and stops reading.
    if held.isPaused, held.isFull { return nil }
    for item in inbox.take() {
      switch item {
      case .ended(let error):
        if let exit = try ended(error) { return exit }
      case .line(let line): receive(line)
      case .value, .trace:
        if case .value = item { exchange.beginTail() }
        record(item)
        if held.isPaused, case .value = item { held.add(item) } else { show(item) }
      }
    }
    return nil
  }

  /// Counts a value and records its members.
  private mutating func record(_ item: ReplInbox.Item) {
    guard case .value(let line, let start) = item, let id = Self.stream(of: line) else { return }
    exchange.receiveValue(on: id, at: session.platform.monotonicNanoseconds)
    unsafe line[start...].withUnsafeBytes { unsafe completer.members.record($0) }
  }

  mutating func show(_ item: ReplInbox.Item) {
    switch item {
    case .value(let line, let start):
      // The frame's head (`= 1 ` or `: 1 5`), then the value with any line ends.
      var text: [UInt8] = []
      unsafe line[start...].withUnsafeBytes { unsafe ValueFormat.appendVisibly($0, to: &text) }
      let head = String(decoding: line[..<start], as: UTF8.self).trimmingBlanks
      let shown = Self.stream(of: line).map { colors.text(head, of: $0) } ?? head
      sayRaw("\(shown) \(String(decoding: text, as: UTF8.self))")
    case .line(let line): show(line, (try? TaggedServerLine(line))?.line)
    case .trace(let line, let isInput): say("\(isInput ? "←" : "→") \(line)", code: 2)
    case .ended: break
    }
  }

  private mutating func show(_ line: String, _ said: ServerLine?) {
    switch said {
    case .done(let id), .drop(let id, _, _), .fail(let id, _, _):
      let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
      let head = words.prefix(2).joined(separator: " ")
      let rest = words.count > 2 ? " \(words[2])" : ""
      let text = colors.text(DisplayText.visible(rest), code: said?.color)
      sayRaw(colors.text(DisplayText.visible(head), of: id) + text)
    case .row:
      let width = session.surroundings.terminalSize.columns - 1
      for part in RowLayout.lines(of: DisplayText.visible(line), width: width) { sayRaw(part) }
    default: say(line, code: said?.color)
    }
  }

  /// Parses the stream's number in a value's head: `= 1 …`.
  static func stream(of line: [UInt8]) -> StreamID? {
    StreamID(line.dropFirst(2).prefix { $0 != UInt8(ascii: " ") })
  }

  // MARK: Lines

  private mutating func receive(_ line: String) {
    let said = try? TaggedServerLine(line)
    guard let said, exchange.isUnderstood(said) else { return say(line) }
    if said.tag == Listing.tag { return receiveListing(said.line) }
    if said.tag == Saving.tag { return receiveDefinition(said.line) }
    if said.tag == Silence.tag { return outputHasStopped() }
    let sent = exchange.receive(said)
    if case .error = said.line { worst = .no }
    if held.isPaused, said.isOfStream { return held.add(.line(line)) }
    let isHidden = sent?.origin == .key && !said.isError
    if !isHidden { show(line, said.line) }
    if case .greeting = said.line { refreshNames(ifOlderThan: 0) }
    if let sent { answered(sent, said) }
  }

  /// Continues what waited for an answer.
  private mutating func answered(_ sent: Exchange.Sent, _ said: TaggedServerLine) {
    let isRefused = said.isError
    if !isRefused, let command = sent.command {
      completer.names.record(command)
      file.record(command, sent.line)
      if case .auth = command { refreshNames(ifOlderThan: 0) }
    }
    if sent.origin == .paste {
      if isRefused { dropPaste("it was refused") } else { sendNextOfPaste() }
    }
  }

  // MARK: Names

  /// Sends LIST, unless the known names are younger than `age` nanoseconds.
  mutating func refreshNames(ifOlderThan age: UInt64) {
    guard case .open(let conversation) = connection, !exchange.isFeeding, !exchange.isRaw,
      !isLeaving
    else { return }
    let now = session.platform.monotonicNanoseconds
    guard !listing.isAsked, age == 0 || now &- listing.time > age else {
      if age == 0 { listing.isStale = true }
      return
    }
    listing.begin(at: now)
    conversation.send(TaggedCommand(tag: Listing.tag, .list(nil)).bytes)
  }

  private mutating func receiveListing(_ said: ServerLine) {
    switch said {
    case .row(let row): listing.add(row)
    case .ok: completer.names.replace(rows: listing.rows)
    default: break
    }
    guard said.isAnswer else { return }
    listing.end()
    if listing.isStale { return refreshNames(ifOlderThan: 0) }
    let isRefused = if case .error = said { true } else { false }
    if let text = paste.text { begin(PastedText(text, names: isRefused ? nil : completer.names)) }
    completeLate()
  }

  private mutating func receiveDefinition(_ said: ServerLine) {
    guard let name = file.saving?.asked else { return }
    if case .row(let text) = said, case let row = Row(text), row.kind == .definition {
      file.record(older: name, row.text)
    }
    guard said.isAnswer else { return }
    file.saving?.refused.insert(name)
    saveWhenComplete()
  }

  // MARK: Pastes

  private mutating func begin(_ pasted: PastedText) {
    paste.text = nil
    guard pasted.reports.isEmpty else {
      for report in pasted.reports.prefix(10) {
        for line in report.split(separator: "\n") { say(String(line), code: 31) }
      }
      say("nothing of the paste was sent", code: 31)
      return
    }
    for remark in pasted.remarks { say(remark, code: 2) }
    paste.rest = pasted.statements[...]
    sendNextOfPaste()
  }

  private mutating func sendNextOfPaste() {
    while let next = paste.rest.first {
      if let problem = problem(with: next.line) { return dropPaste(problem) }
      paste.rest.removeFirst()
      echo(next.line)
      remember(next.line)
      let waiting = exchange.pending.count
      send(next.line, by: .paste)
      paste.line = next.number
      // Does not wait for a line without an answer, such as one of a FEED.
      if exchange.pending.count > waiting, !exchange.isFeeding { return }
    }
  }

  /// Stops a paste and prints why.
  mutating func dropPaste(_ reason: String) {
    guard !paste.rest.isEmpty else { return }
    let count = paste.rest.count
    say("of the paste, \(count) behind line \(paste.line) not sent: \(reason)", code: 31)
    paste.rest = []
  }
}

extension TaggedServerLine {
  fileprivate var isError: Bool { if case .error = line { true } else { false } }

  /// Whether it concerns the values of a stream.
  fileprivate var isOfStream: Bool {
    switch line {
    case .done, .fail, .drop: true
    default: false
    }
  }
}

extension ServerLine {
  /// Whether it is the last line about a command.
  fileprivate var isAnswer: Bool {
    switch self {
    case .ok, .error: true
    default: false
    }
  }
}
