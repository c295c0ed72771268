internal import FlowLanguage

/// What came of a test.
public struct MarbleOutcome {
  /// What came out for one name.
  struct Got {
    let ticks: [[Marble]]
    let drops: Int
    let failure: PipelineFailure?
    /// The last value that was left out since a closure has no answer for it, and why.
    let leftOut: LeftOut?
  }

  let test: MarbleTest
  var got: [String: Got]
  /// What kept it from coming to its end, if anything did.
  let stop: Stop?

  /// Why a test was given up.
  enum Stop {
    /// The sources of a row go on and on in one moment.
    case endless(name: String, time: Int)
    /// Timers and delays are due too often.
    case tooManyEvents(time: Int)
    /// Whoever records it has stopped it.
    case stopped(time: Int)
  }

  /// What differs first, in words; `nil` if nothing does.
  public var difference: String? {
    if let stop { return text(of: stop) }
    var earliest: (row: MarbleTest.Row, tick: Int)?
    for row in test.rows {
      guard case .values = row.kind, let got = got[row.name],
        let tick = tick(ofDifferenceIn: row, got), tick < earliest?.tick ?? .max
      else { continue }
      earliest = (row, tick)
    }
    if let (row, tick) = earliest {
      let failure = got[row.name]?.failure.map { "; it failed: \($0.message)" }
      let leftOut = got[row.name]?.leftOut.map { "; it left out a value at \($0.text)" }
      let why = failure ?? leftOut ?? ""
      return "\(row.name) differs in tick \(tick), at \(timeText(tick * test.tick))\(why)"
    }
    for row in test.rows {
      guard case .drops(let count) = row.kind, let got = got[row.name], count != got.drops else {
        continue
      }
      return "\(row.name) missed \(got.drops), expected \(count)"
    }
    return nil
  }

  private func text(of stop: Stop) -> String {
    switch stop {
    case .endless(let name, let time):
      let place = "tick \(time / test.tick), at \(timeText(time))"
      return "\(name) took 100,000 values from its sources in \(place) and did not finish; "
        + "limit its demand with a row \"\(name) ⇠ 3\", or a source with prefix(3)"
    case .tooManyEvents(let time):
      return "100,000 timers and delays were due by tick \(time / test.tick), "
        + "at \(timeText(time)); shorten the test, or use longer intervals"
    case .stopped(let time): return "it was stopped in tick \(time / test.tick)"
    }
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
      if case .service = row.kind {
        lines.append(line(row.title, row.text))
        continue
      }
      let wanted = line(row.title, row.ticks.drawing(widths: widths))
      guard case .values = row.kind, let got = got[row.name],
        let tick = tick(ofDifferenceIn: row, got)
      else {
        lines.append(wanted)
        continue
      }
      let length = max(row.ticks.count, got.ticks.count)
      let isMeantToFail = row.ticks.joined().contains(.failure)
      let failure = isMeantToFail ? "" : got.failure.map { ", failed: \($0.message)" } ?? ""
      let sides = [(row.ticks, "expected"), (got.ticks, "got\(failure)")].map { ticks, word in
        let all = ticks + Array(repeating: [], count: length - ticks.count)
        return line(row.title, all.drawing(widths: widths) + "   \(word)")
      }
      let blanks = 4 + margin + widths[..<tick].reduce(0, +)
      lines += sides
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
    case .service: "serve \(name)"
    }
  }
}
