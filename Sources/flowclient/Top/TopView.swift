/// Lays out the figures and the user's choices as lines, independently of a terminal.
struct TopView {
  let picture: TopPicture
  let state: TopState
  /// The server's address, as typed.
  let server: String
  let columns: Int
  var isASCII = false

  func screen(rows: Int) -> [TopLine] {
    let head = head
    let foot = [line(keys, .dim)]
    let space = max(0, rows - 1)
    var lines = Array(head.prefix(rows > 7 ? head.count : 2))
    let rest = max(0, space - lines.count)
    if state.showsHelp {
      lines += help.prefix(rest)
    } else if state.detail == nil {
      lines += names(most: rest)
    } else {
      let body = detail
      let scroll = min(state.scroll, max(0, body.count - rest))
      lines += body.dropFirst(scroll).prefix(rest)
    }
    lines = Array(lines.prefix(space))
    lines += Array(repeating: TopLine(""), count: max(0, space - lines.count))
    return Array((lines + foot).prefix(rows))
  }

  /// All lines, for a pipe.
  var whole: [TopLine] { head + (state.detail == nil ? names(most: .max) : detail) }

  /// The number of names that fit.
  static func page(rows: Int) -> Int { max(1, rows - 4) }

  // MARK: Head

  private var head: [TopLine] {
    [title] + verdict
  }

  private var title: TopLine {
    if let trouble = state.trouble { return line(trouble, .bad) }
    var words = ["flow at \(server)"]
    if let server = picture.server {
      words.append("busy \(Int((server.busy * 100).rounded())) %")
      words.append("in \(TopFigure.rate(picture.came))/s")
      words.append("out \(TopFigure.rate(picture.went))/s")
      words.append(Figure.number(server.connections, of: "connection"))
      words.append(Figure.number(server.streams, of: "stream"))
    }
    if let version = picture.topology?.version { words.append("version \(version)") }
    if let total = picture.topology?.total, let names = picture.sample?.names.count, total > names {
      words.insert("\(names) of \(total) names", at: 1)
    }
    if state.isPaused { words.insert("PAUSED", at: 0) }
    return line(words.joined(separator: "  "), .bold)
  }

  /// The verdict's sentence, in up to two lines, and advice.
  private var verdict: [TopLine] {
    guard let sample = picture.sample else { return [line("asking…")] }
    guard sample.isJudged else { return [line("looking at what runs…")] }
    guard let name = state.detail else {
      let verdict = TopVerdict(of: picture)
      if verdict.worst == nil, !verdict.isWell { return unserved }
      return fold(verdict.text, verdict.isWell ? .good : .warning) + unserved
    }
    let subject = state.stream.map { "\(name), stream \($0) alone" } ?? name
    guard let watched = picture.watched(name, state.stream) else {
      return [line("\(subject): asking…")]
    }
    let verdict = watched.verdict
    let style: TopLine.Style =
      verdict.lost > 0 || ["failed", "leaves-out"].contains(verdict.code)
      ? .bad : ["client", "stage", "elsewhere", "busy"].contains(verdict.code) ? .warning : .good
    let lasted = verdict.lasted.map { "It has been so for \(TopFigure.time(milliseconds: $0))." }
    let hint = [lasted, verdict.hint].compactMap(\.self).filter { !$0.isEmpty }
    return fold("\(subject): \(verdict.text)", style)
      + (hint.isEmpty ? [] : fold(hint.joined(separator: " "), .dim)) + unserved
  }

  /// The services without a worker whose calls wait, also calls of unnamed expressions.
  private var unserved: [TopLine] {
    (picture.sample?.unserved.prefix(2) ?? []).flatMap { fold("\($0.text) \($0.hint)", .warning) }
  }

  private func fold(_ text: String, _ style: TopLine.Style) -> [TopLine] {
    let lines = DisplayText.fold(visible(text), to: columns, indent: 2)
    guard lines.count > 2 else { return lines.map { line($0, style) } }
    let rest = lines[1...].map { $0.drop { $0 == " " } }.joined(separator: " ")
    return [line(lines[0], style), line("  " + rest, style)]
  }

  // MARK: All names

  private func names(most: Int) -> [TopLine] {
    let rows = picture.names(by: state.sort)
    guard picture.sample != nil else { return [] }
    guard !rows.isEmpty else {
      let text = state.filter.isEmpty ? "there are no names" : "no name has \(state.filter) in it"
      return [line(text, .dim)]
    }
    var table = TextTable(columns: Self.nameColumns, rows: [], gap: 1, more: more)
    table.columns[0].title = "  name"
    let place = state.place(in: rows.map(\.name)) ?? 0
    table.rows = rows.enumerated().map { index, row in
      cells(row, isSelected: index == place && most < .max)
    }
    let lines = table.lines(width: columns)
    let room = max(0, most - 1)
    let first = room >= rows.count ? 0 : min(max(0, place - room / 2), rows.count - room)
    let shown = first..<min(rows.count, room > rows.count ? rows.count : first + room)
    var result = [TopLine(lines[0], .bold)]
    for index in shown {
      let style: TopLine.Style =
        rows[index].isLosing || rows[index].sample.code == "failed"
        ? .bad : rows[index].isHeldUp ? .warning : Self.isCalm(rows[index]) ? .dim : .plain
      result.append(TopLine(lines[index + 1], style, isSelected: index == place && most < .max))
    }
    if let total = picture.topology?.total, total > rows.count, most == .max {
      result.append(line("\(rows.count) of \(total) names", .dim))
    }
    return Array(result.prefix(most))
  }

  private static func isCalm(_ row: TopPicture.NameRow) -> Bool {
    ["asleep", "quiet"].contains(row.sample.code)
  }

  private static let nameColumns: [TextTable.Column] = [
    .init(title: "name", least: 12),
    .init(title: "verdict"),
    .init(title: "by whom", least: 8),
    .init(title: "stages", least: 6),
    .init(title: "in/s", isNumber: true),
    .init(title: "out/s", isNumber: true),
    .init(title: "drops", isNumber: true),
    .init(title: "drops/s", isNumber: true, rank: 1),
    .init(title: "subs", isNumber: true),
  ]

  private func cells(_ row: TopPicture.NameRow, isSelected: Bool) -> [String] {
    [
      (isSelected ? "> " : "  ") + visible(row.name), visible(row.verdict),
      row.culprit.isEmpty ? "-" : visible(row.culprit),
      row.sample.states.isEmpty ? "-" : visible(row.sample.states),
      TopFigure.rate(row.came), TopFigure.rate(row.went), TopFigure.count(row.sample.dropped),
      TopFigure.rate(row.lost), TopFigure.count(row.sample.subscriptions),
    ]
  }

  // MARK: One name

  private var detail: [TopLine] {
    guard let name = state.detail, let watched = picture.watched(name, state.stream) else {
      return []
    }
    let stages = picture.stages(of: name, state.stream)
    let table = TextTable(
      columns: stageColumns,
      rows: stages.enumerated().map(cells),
      gap: 1,
      more: more
    )
    var lines = table.lines(width: columns).map { TopLine($0) }
    lines[0].style = .bold
    for place in stages.indices {
      if place == watched.verdict.stage { lines[place + 1].style = .warning }
      if place == watched.verdict.at { lines[place + 1].style = .bad }
    }
    return lines + readers(watched)
  }

  /// Whether titles are spelled out.
  private var isWide: Bool { columns >= 100 }

  private var stageColumns: [TextTable.Column] {
    let titles =
      isWide
      ? ["starved", "working", "blocked", "publishers", "demand"]
      : ["s%", "w%", "b%", "pubs", "asked"]
    return [
      .init(title: "#", isNumber: true),
      .init(title: "stage", least: 8),
      .init(title: titles[0], isNumber: true),
      .init(title: titles[1], isNumber: true),
      .init(title: titles[2], isNumber: true),
      .init(title: "in/s", isNumber: true),
      .init(title: "out/s", isNumber: true),
      .init(title: "fill", isNumber: true),
      .init(title: titles[3], isNumber: true, rank: 2),
      .init(title: titles[4], isNumber: true, rank: 1),
      .init(title: "drops", isNumber: true),
      .init(title: "drops/s", isNumber: true, rank: 3),
    ]
  }

  private func cells(_ place: Int, _ row: TopPicture.StageRow) -> [String] {
    let text = visible(row.text.split { $0.isWhitespace }.joined(separator: " "))
    let shares = row.shares?.map { isWide ? "\($0) %" : "\($0)" } ?? ["-", "-", "-"]
    return [
      "\(place)", DisplayText.cut(text, to: 72, more: more), shares[0], shares[1], shares[2],
      TopFigure.rate(row.came), TopFigure.rate(row.went), fill(row), publishers(row),
      visible(row.sample.demand), TopFigure.count(row.sample.dropped), TopFigure.rate(row.lost),
    ]
  }

  /// The values inside, the limit, and the maximum so far: `18/20^20`.
  private func fill(_ row: TopPicture.StageRow) -> String {
    if row.sample.waiting > 0 { return "\(TopFigure.count(row.sample.waiting)) wait" }
    guard !row.holdsNothing || row.sample.held > 0 else { return "-" }
    let limit = row.holds.map { "/\(TopFigure.count($0))" } ?? ""
    return "\(TopFigure.count(row.sample.held))\(limit)^\(TopFigure.count(row.sample.most))"
  }

  private func publishers(_ row: TopPicture.StageRow) -> String {
    guard let publishers = row.sample.publishers else { return "-" }
    return row.limit.map { "\(publishers)/\($0)" } ?? "\(publishers)"
  }

  private func readers(_ watched: WatchSample.Watched) -> [TopLine] {
    let delivery = delivery(watched)
    guard let readers = watched.readers else {
      return delivery.isEmpty ? [] : [TopLine(""), line(delivery, .dim)]
    }
    let stalled = watched.stalledCount > 0 ? ", \(watched.stalledCount) stalled" : ""
    let title =
      Figure.number(watched.readerCount, of: "subscription") + stalled
      + (delivery.isEmpty ? "" : "; \(delivery)")
    guard !readers.isEmpty else { return [TopLine(""), line(title, .dim)] }
    let table = TextTable(columns: Self.readerColumns, rows: readers.map(cells), gap: 1, more: more)
    var lines = table.lines(width: columns).map { TopLine($0) }
    lines[0].style = .bold
    for (place, reader) in readers.enumerated() where (reader.stalled ?? 0) >= 1000 {
      lines[place + 1].style = .warning
    }
    for (place, reader) in readers.enumerated()
    where state.stream != nil && reader.place == state.stream {
      lines[place + 1].isSelected = true
    }
    return [TopLine(""), line(title)] + lines
  }

  private func delivery(_ watched: WatchSample.Watched) -> String {
    guard let half = watched.delivery.member("p50")?.double,
      let most = watched.delivery.member("p99")?.double
    else { return "" }
    let under = half <= 0.05 ? "under " : ""
    return "values take \(under)\(TopFigure.shortTime(milliseconds: half)), at most"
      + " \(TopFigure.shortTime(milliseconds: most)) for 99 % of them"
  }

  private static let readerColumns: [TextTable.Column] = [
    .init(title: "subscriber", least: 10),
    .init(title: "stream"),
    .init(title: "through", least: 6, rank: 1),
    .init(title: "stalled", isNumber: true),
    .init(title: "demand", isNumber: true),
    .init(title: "values", isNumber: true),
    .init(title: "missed", isNumber: true),
  ]

  private func cells(_ reader: WatchSample.Reader) -> [String] {
    [
      visible(reader.label), reader.client > 0 ? "\(reader.client).\(reader.id)" : "-",
      reader.pipeline.map { visible($0) } ?? "-",
      reader.stalled.map { TopFigure.time(milliseconds: $0) + (reader.isUnread ? " unread" : "") }
        ?? "-",
      visible(reader.demand), TopFigure.count(reader.values), TopFigure.count(reader.missed),
    ]
  }

  // MARK: Foot

  private var keys: String {
    if let typed = state.typed { return "filter: \(typed)_  (Enter: take it, Esc: leave)" }
    let arrows = isASCII ? "j/k" : "↑↓"
    if state.showsHelp { return "any key: back  q: quit" }
    if let name = state.detail {
      let back = state.stream == nil ? "all names" : "all of them"
      let next = picture.streams(of: name).isEmpty ? "" : "  n: one subscription"
      return "Esc: \(back)  \(arrows): scroll  p: pause  ?: help  q: quit\(next)"
    }
    let filter = state.filter.isEmpty ? "/: filter" : "/: filter (\(state.filter))"
    return
      "\(arrows): select  Enter: stages  s: sort (\(state.sort.title))  \(filter)  p: pause"
      + "  ?: help  q: quit"
  }

  /// Explains the columns and keys, 80 columns wide.
  private var help: [TopLine] {
    [
      "", "verdict  held up: values wait or are lost because of who stands in \"by whom\":",
      "         a client, a stage, or another reader of the same subject; busy: the",
      "         server is; quiet: no values come; no reader: nobody subscribes to it",
      "stages   a letter each: s starved, it could take more than comes; w working;",
      "         b blocked, nobody asks it for values; - it does not run",
      "in/s     out/s drops/s: values a second, of the last 4 s; drops: all lost ones",
      "subs     how many subscriptions there are", "",
      "s% w% b% how much of the last 4 s a stage was starved, working and blocked",
      "fill     values inside / as many as it may hold ^ the most there were",
      "pubs     publishers of a flatMap that are at work / as many as there may be",
      "asked    values that are asked of the stage and have not come: its demand", "",
      "arrows j k PgUp PgDn g G: select, or scroll    Enter: the stages of that name",
      "Esc Backspace: back to all names    s: sort by the next column    /: filter",
      "n N: the stages as the next or the previous subscription runs them; Esc: all",
      "p space: hold the picture    control-Z: suspend    q control-C: quit",
    ].map { line($0) }
  }

  // MARK: Text

  private var more: String { isASCII ? "~" : "…" }

  private func visible(_ text: String) -> String {
    DisplayText.visible(text, isASCII: isASCII)
  }

  private func line(_ text: String, _ style: TopLine.Style = .plain) -> TopLine {
    TopLine(DisplayText.cut(visible(text), to: columns, more: more), style)
  }
}
