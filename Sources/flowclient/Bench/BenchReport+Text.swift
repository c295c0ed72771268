import FlowWire

// MARK: - The report as text, at most 100 columns wide
extension BenchReport {
  func text(isColored: Bool = false) -> String {
    var lines = [head]
    lines += traffic("sent", sent) + traffic("received", received)
    lines += latencies + histogram + [""]
    let verdict = "lost \(lost) duplicated \(duplicated) reordered \(reordered)"
    lines.append(isColored ? "\u{1b}[\(isWhole ? 32 : 31)m\(verdict)\u{1b}[0m" : verdict)
    lines += notes
    return lines.joined(separator: "\n") + "\n"
  }

  private var isWhole: Bool { lost + duplicated + reordered == 0 }

  private var head: String {
    var words: [String] = []
    if request.publishers > 0 { words.append(Figure.number(request.publishers, of: "publisher")) }
    if request.subscribers > 0 {
      let slow = request.slow > 0 ? " (\(request.slow) slow)" : ""
      words.append(Figure.number(request.subscribers, of: "subscriber") + slow)
    }
    if request.form.publishes { words.append("\(Figure.count(UInt64(request.size))) bytes") }
    if let rate = request.rate { words.append("at \(Figure.rate(rate))") }
    if let subject = request.subject {
      words.append("subject \(subject.count > 40 ? "\(subject.prefix(39))…" : subject)")
    } else {
      words.append("flow=\(request.flow.rawValue)")
    }
    var lines = ["\(request.form.rawValue): \(words[0])"]
    for word in words.dropFirst() {
      let line = "\(lines.removeLast()),"
      lines += line.count + word.count < 99 ? ["\(line) \(word)"] : [line, "  \(word)"]
    }
    return lines.joined(separator: "\n")
  }

  private func traffic(_ name: String, _ traffic: Traffic?) -> [String] {
    guard let traffic else { return [] }
    let count = Figure.count(traffic.values)
    let time = Figure.decimal(traffic.seconds, digits: 2)
    var line =
      "\(DisplayText.pad(name, to: 8))  \(count) values in \(time) s, \(Figure.rate(traffic.rate))"
    if request.form.publishes {
      line += ", \(Figure.volume(traffic.rate * Double(request.size)))"
    }
    guard traffic.clients.count > 1 else { return [line] }
    let (least, average, most) = traffic.rates
    let rates = "min \(Figure.rate(least))  avg \(Figure.rate(average))  max \(Figure.rate(most))"
    return [line, "    each  \(rates)"]
  }

  private var latencies: [String] {
    guard let latency else { return [] }
    guard let actual else {
      return ["", "latency   from sending to receipt"] + latency.rows.map { Self.row($0) }
    }
    let title = "latency   from when a value was due (from when it was sent)"
    return ["", title]
      + zip(latency.rows, actual.rows).map { row, sent in
        "\(Self.row(row))  (\(Figure.time(sent.time)))"
      }
  }

  private static func row(_ row: (name: String, time: UInt64)) -> String {
    let time = DisplayText.pad(Figure.time(row.time), to: 9, right: true)
    return "  \(DisplayText.pad(row.name, to: 8))\(time)"
  }

  private var histogram: [String] {
    guard let most = bars.map(\.count).max(), most > 0 else { return [] }
    let all = Double(bars.reduce(0) { $0 + $1.count })
    return [""]
      + bars.map { bar in
        let percent = Figure.decimal(Double(bar.count) * 100 / all, digits: 2)
        let share = DisplayText.pad(percent, to: 6, right: true)
        let limit = DisplayText.pad(Figure.time(bar.limit), to: 8, right: true)
        let length = bar.count == 0 ? 0 : max(1, Int(Double(bar.count) / Double(most) * 50))
        let line = "  < \(limit)  \(share) %  "
        return length == 0 ? "\(line.dropLast(2))" : line + String(repeating: "#", count: length)
      }
  }

  private var notes: [String] {
    var notes: [String] = []
    if missed > 0 {
      notes.append("missed without demand, as reported by the server: \(Figure.count(missed))")
    }
    if foreign > 0 {
      notes.append("\(Figure.number(Int(foreign), of: "value")) from other senders")
    }
    if early > 0 {
      notes.append("received before they were sent (clocks differ): \(Figure.count(early))")
    }
    if elapsed > 0 {
      let share = Figure.decimal(processorTime / elapsed, digits: 2)
      notes.append("flowclient used \(share) of a core")
    }
    return notes
  }
}
