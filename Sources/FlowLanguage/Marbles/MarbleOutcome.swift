/// What came of a test.
public struct MarbleOutcome {
  /// What came out for one name.
  struct Got {
    let ticks: [[Marble]]
    let drops: Int
    let failure: PipelineFailure?
  }

  let test: MarbleTest
  var got: [String: Got]
  /// Whether it came to its end.
  let isOver: Bool

  /// What differs first, in words; `nil` if nothing does.
  public var difference: String? {
    guard isOver else { return "more than a million things happened" }
    for row in test.rows {
      guard let got = got[row.name] else { continue }
      switch row.kind {
      case .values:
        guard let tick = tick(ofDifferenceIn: row, got) else { continue }
        let failure = got.failure.map { "; it failed: \($0.message)" } ?? ""
        return "\(row.name) differs in tick \(tick), at \(timeText(tick * test.tick))\(failure)"
      case .drops(let count) where count != got.drops:
        return "\(row.name) was to miss \(count), and missed \(got.drops)"
      case .demand, .drops: continue
      }
    }
    return nil
  }

  private func tick(ofDifferenceIn row: MarbleTest.Row, _ got: Got) -> Int? {
    (0..<test.length).first { tick in
      let wanted = row.ticks.indices.contains(tick) ? row.ticks[tick] : []
      let found = got.ticks.indices.contains(tick) ? got.ticks[tick] : []
      return wanted.count != found.count || !zip(wanted, found).allSatisfy { $0.matches($1) }
    }
  }

  /// All rows, each that differs twice, with a mark below the first tick that does.
  public var drawing: [String] {
    let widths = self.widths
    let names = test.rows.map(\.title)
    let margin = (names.map(\.count).max() ?? 0) + 2
    func line(_ title: String, _ text: String) -> String {
      let line = "    \(title)\(String(repeating: " ", count: margin - title.count))\(text)"
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
    var lines: [String] = []
    for row in test.rows {
      if case .drops(let count) = row.kind {
        let found = got[row.name]?.drops ?? count
        lines.append(line(row.title, "\(count)\(found == count ? "" : "   got \(found)")"))
        continue
      }
      let wanted = line(row.title, row.ticks.drawing(widths: widths))
      guard case .values = row.kind, let got = got[row.name],
        let tick = tick(ofDifferenceIn: row, got)
      else {
        lines.append(wanted)
        continue
      }
      let ticks = got.ticks + Array(repeating: [], count: max(0, row.ticks.count - got.ticks.count))
      let blanks = 4 + margin + widths[..<tick].reduce(0, +)
      lines.append("\(wanted)   expected")
      lines.append("\(line(row.title, ticks.drawing(widths: widths)))   got")
      lines.append(String(repeating: " ", count: blanks) + "^")
    }
    return lines
  }

  private var widths: [Int] {
    var widths = Array(
      repeating: 1,
      count: max(test.length, got.values.map(\.ticks.count).max() ?? 0)
    )
    for ticks in test.rows.map(\.ticks) + got.values.map(\.ticks) {
      for (tick, marbles) in ticks.enumerated() {
        widths[tick] = max(widths[tick], marbles.cell.count)
      }
    }
    return widths
  }
}

extension MarbleTest.Row {
  /// What stands before its ticks.
  var title: String {
    switch kind {
    case .values: name
    case .demand: "\(name) ⇠"
    case .drops: "\(name) ⇣"
    }
  }
}
