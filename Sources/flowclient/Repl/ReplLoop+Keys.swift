import FlowWire

// MARK: - Keys
extension ReplLoop {
  mutating func press(_ key: TerminalKey) {
    menu = ReplMenu()
    if key == .control("c"), search == nil || inbox.isFlooded { return interrupt() }
    if search != nil, !searchPasses(key) { return }
    switch key {
    case .enter: enter()
    case .tab: tab()
    case .up, .control("p"):
      if !editor.moveUp() { show(history.older(than: editor.text)) }
    case .down, .control("n"):
      if !editor.moveDown() { show(history.newer()) }
    case .control("r"): search = ReverseSearch()
    case .control("d") where editor.isEmpty: leave()
    case .control("l"): clearScreen()
    case .control("z"): suspend()
    case .character(let sign):
      if exchange.isFeeding || exchange.isRaw || !requestValues(sign) { edit(key) }
    case .paste(let text): paste(text)
    case .overlongPaste:
      say("the paste is longer than 1 MiB; nothing of it is taken", code: 31)
    default: edit(key)
    }
  }

  private mutating func edit(_ key: TerminalKey) { _ = editor.press(key) }

  private mutating func show(_ line: String?) {
    if let line { editor.set(line) }
  }

  mutating func dropLine() {
    history.leave()
    dropPaste("control-C")
    guard editor.isEmpty else {
      echo(editor.text + "^C")
      editor.set("")
      return
    }
    let open = exchange.endable.map { "; CANCEL \($0) ends stream \($0)" } ?? ""
    say("control-D leaves, :pause holds values back\(open)", code: 2)
  }

  // MARK: Searching

  /// Handles a key during a search; returns whether the key ended the search and has its normal
  /// effect.
  private mutating func searchPasses(_ key: TerminalKey) -> Bool {
    switch key {
    case .character(let scalar): search?.type(String(scalar), history.entries)
    case .paste(let text):
      search?.type(String(text.prefix { $0 != "\n" }), history.entries)
    case .control("r"): search?.older(history.entries)
    case .backspace, .control("h"): search?.eraseLast(history.entries)
    case .control("c"), .control("g"), .escape: search = nil
    default:
      if let line = search?.found?.line { editor.set(line) }
      search = nil
      return true
    }
    return false
  }

  // MARK: Completing

  private mutating func tab() {
    refreshNames(ifOlderThan: 2_000_000_000)
    let text = editor.text
    complete()
    menu.isAwaited = listing.isAsked && editor.text == text
  }

  /// Completes when the names that Tab waited for have arrived.
  mutating func completeLate() {
    guard menu.isAwaited else { return }
    menu.isAwaited = false
    complete()
  }

  private mutating func complete() {
    menu.rows = []
    completer.streams = exchange.streams.keys.sorted().map(\.description)
    guard !exchange.isFeeding, let answer = completer.answer(editor.head) else { return }
    let typed = String(editor.characters[answer.start..<editor.cursor])
    if answer.proposals.count == 1, let only = answer.proposals.first {
      editor.replace(from: answer.start, with: only.text)
    } else if answer.commonStart.count > typed.count {
      editor.replace(from: answer.start, with: answer.commonStart)
    } else {
      menu.rows = ReplMenu.rows(
        answer.proposals.map(\.name),
        session.surroundings.terminalSize
      )
    }
  }

  // MARK: Demand

  /// Requests values if the sign means that here.
  private mutating func requestValues(_ sign: Unicode.Scalar) -> Bool {
    guard let keys = DemandKeys(editor.text, sign) else { return false }
    guard let id = keys.stream ?? exchange.current else {
      say("no stream is open to ask for values of; SUB NAME opens one", code: 2)
      editor.set("")
      return true
    }
    guard exchange.streams[id]?.isRead ?? false else {
      say("no subscription of yours has the number \(id)", code: 31)
      editor.set("")
      return true
    }
    guard case .open = connection else { return false }
    exchange.current = id
    let demand = keys.count.map { Demand.max($0) } ?? .unlimited
    send("\(Command.request(.stream(id), .demand(demand)))", by: .key)
    editor.set("")
    return true
  }

  // MARK: Pasting

  private mutating func paste(_ text: String) {
    let isWhole = text.hasSuffix("\n")
    let lines = text.trimmingLineEnds
    guard lines.contains("\n") || (exchange.isFeeding && isWhole) else {
      if !editor.insert(lines) { say("the line would be longer than 1 MiB", code: 31) }
      return
    }
    if exchange.isFeeding || exchange.isRaw {
      _ = editor.insert(text)
      var rows = editor.text.split(separator: "\n", omittingEmptySubsequences: false).map(
        String.init
      )
      editor.set(rows.popLast() ?? "")
      for row in rows { send(row, by: .typed) }
      return
    }
    guard editor.isEmpty else {
      if !editor.insert(lines) { say("the line would be longer than 1 MiB", code: 31) }
      return
    }
    if PastedText(lines, names: nil).isOneStatement { return editor.set(lines) }
    guard case .open = connection else {
      say("not connected; nothing of the paste is sent", code: 31)
      return
    }
    paste.text = lines
    refreshNames(ifOlderThan: 0)
  }
}

/// Counts the keys, to distinguish Escape from a sequence.
struct TypedKeys {
  private var reader = KeyReader()
  /// The number of the last key.
  private(set) var last: UInt64 = 0

  var isUndecided: Bool { reader.isUndecided }

  mutating func read(_ bytes: [UInt8]) -> [TerminalKey] {
    last &+= 1
    return reader.read(bytes)
  }

  /// Returns the key that is decided if none came since the one with number `last`.
  mutating func settle(since last: UInt64) -> [TerminalKey] {
    last == self.last ? reader.settle() : []
  }
}

/// The proposals of Tab, until the next key.
struct ReplMenu {
  var rows: [String] = []
  /// Whether Tab waits for the names.
  var isAwaited = false

  /// Returns the proposals in columns.
  static func rows(_ names: [String], _ size: TerminalSize) -> [String] {
    // The menu may take half of the terminal.
    let mostRows = max(1, size.rows / 2 - 1)
    let names = names.map { DisplayText.visible($0) }
    let width = (names.map(DisplayText.width).max() ?? 0) + 2
    let perRow = max(1, (size.columns - 1) / width)
    let shown = names.prefix(perRow * mostRows)
    var rows = stride(from: 0, to: shown.count, by: perRow).map { start in
      shown[start..<min(start + perRow, shown.count)].map { DisplayText.pad($0, to: width) }
        .joined()
    }
    if names.count > shown.count { rows.append("and \(names.count - shown.count) more") }
    return rows
  }
}

extension String {
  var trimmingLineEnds: String {
    var text = self[...]
    while text.last == "\n" { text.removeLast() }
    return String(text)
  }
}
