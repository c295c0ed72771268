import FlowWire

/// The choices of the user, and how keys change them.
struct TopState: Equatable {
  /// The name whose stages are shown; nil shows all names.
  var detail: String?
  /// The one subscription of it that is shown; all of them together if nil.
  var stream: StreamPlace?
  var selected: String?
  /// The number of lines of the detail above the screen.
  var scroll = 0
  var sort = TopSort.verdict
  var filter = ""
  /// The filter being typed.
  var typed: String?
  var isPaused = false
  var showsHelp = false
  /// The present problem, such as a lost connection.
  var trouble: String?

  init(_ request: TopRequest) {
    detail = request.name
    stream = request.stream
    sort = request.sort
    filter = request.filter
  }

  /// The effect of a key, besides a new picture.
  enum Effect {
    case quit, interrupt, suspend
    /// Another name or filter: the server is to be asked at once.
    case ask
  }

  /// Handles a key; `names` are shown in this order, `page` at a time, and `streams` run the
  /// pipeline shown.
  mutating func press(
    _ key: TerminalKey,
    names: [String],
    page: Int,
    streams: [StreamPlace] = []
  ) -> Effect? {
    switch key {
    case .control("c"): return .interrupt
    case .control("z"): return .suspend
    default: break
    }
    if let text = typed { return type(key, text) }
    if showsHelp {
      showsHelp = false
      if key != .character("q"), key != .control("d") { return nil }
    }
    switch key {
    case .character("q"), .control("d"): return .quit
    case .character("?"), .character("h"): showsHelp = true
    case .character("p"), .character(" "): isPaused.toggle()
    case .character("s") where detail == nil: sort = sort.next
    case .character("/") where detail == nil: typed = filter
    case .enter where detail == nil:
      detail = place(in: names).map { names[$0] }
      scroll = 0
      return detail == nil ? nil : .ask
    case .character("n") where detail != nil: return walk(1, streams)
    case .character("N") where detail != nil: return walk(-1, streams)
    case .escape, .backspace:
      if stream != nil {
        stream = nil
        return .ask
      }
      if detail != nil {
        selected = detail
        detail = nil
        return .ask
      }
      guard key == .escape, !filter.isEmpty else { return nil }
      filter = ""
      return .ask
    case .up, .character("k"): move(by: -1, names)
    case .down, .character("j"): move(by: 1, names)
    case .pageUp: move(by: -page, names)
    case .pageDown: move(by: page, names)
    case .home, .character("g"): move(by: -names.count - scroll, names)
    case .end, .character("G"): move(by: max(names.count, 10_000), names)
    default: break
    }
    return nil
  }

  private mutating func type(_ key: TerminalKey, _ text: String) -> Effect? {
    switch key {
    case .character(let letter) where letter.isASCII && letter != " " && text.count < 128:
      typed = text + String(letter)
    case .backspace: typed = text.isEmpty ? nil : String(text.dropLast())
    case .escape: typed = nil
    case .enter:
      typed = nil
      guard filter != text else { return nil }
      filter = text
      return .ask
    default: break
    }
    return nil
  }

  /// Selects the next subscription, and behind the last one all of them.
  private mutating func walk(_ step: Int, _ streams: [StreamPlace]) -> Effect? {
    guard !streams.isEmpty || stream != nil else { return nil }
    let places =
      [nil] + streams.sorted { ($0.client, $0.id.rawValue) < ($1.client, $1.id.rawValue) }
    let place = (places.firstIndex(of: stream) ?? 0) + step
    stream = places[(place + places.count) % places.count]
    return .ask
  }

  private mutating func move(by lines: Int, _ names: [String]) {
    guard detail == nil else {
      scroll = max(0, scroll + lines)
      return
    }
    guard !names.isEmpty else { return }
    let place = min(max(0, (self.place(in: names) ?? 0) + lines), names.count - 1)
    selected = names[place]
  }

  /// The index of the selected name; the first name is selected until another is.
  func place(in names: [String]) -> Int? {
    selected.flatMap(names.firstIndex) ?? (names.isEmpty ? nil : 0)
  }
}
