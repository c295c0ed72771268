import FlowWire

/// Metrics with what they mean: as a table for people, and as the text that Prometheus reads.
struct MetricListing {
  private struct Meaning {
    let kind: String
    let text: String
  }

  private let rows: [MetricRow]
  /// The meanings, by the name of the metric.
  private let meanings: [String: Meaning]

  /// - Parameters:
  ///   - rows: the rows of STATS.
  ///   - help: the rows of `HELP metrics`: a name, a kind and what the metric tells.
  init(_ rows: [String], help: [String]) {
    self.rows = rows.compactMap { MetricRow($0) }
    let entries = help.compactMap { row -> (String, Meaning)? in
      let words = row.split(separator: " ", maxSplits: 2).map(String.init)
      return words.count == 3 ? (words[0], Meaning(kind: words[1], text: words[2])) : nil
    }
    meanings = Dictionary(entries) { first, _ in first }
  }

  // MARK: For people

  /// The lines of a table; what a metric means stands beside its first number, if there is room for it.
  ///
  /// The buckets of histograms are left out.
  func table(width: Int) -> [String] {
    var table = TextTable(
      columns: [
        .init(title: "figure"), .init(title: "of", least: 16),
        .init(title: "value", isNumber: true), .init(title: "what it is", least: 40, rank: 1),
      ],
      rows: []
    )
    var explained: Set<String> = []
    for row in rows {
      let metric = metric(of: row.name)
      let meaning = meanings[metric]
      if meaning?.kind == "histogram", row.name.hasSuffix("_bucket") { continue }
      let isFirst = explained.insert(metric).inserted
      let cells = [
        Self.figure(row), Self.labels(row), Self.value(row), isFirst ? meaning?.text ?? "" : "",
      ]
      table.rows.append(cells.map { DisplayText.visible($0) })
    }
    return table.foldedLines(width: width)
  }

  /// `subject values total` of `flow_subject_values_total`; units stand with the value.
  private static func figure(_ row: MetricRow) -> String {
    let words = row.name.split(separator: "_")
    let others: Set<Substring> = ["flow", "bytes", "seconds"]
    let figure = words.filter { !others.contains($0) }.joined(separator: " ")
    return figure == "total" ? "bytes total" : figure
  }

  /// The labels' values; those that say nothing alone, such as `yes` and `3`, with their names.
  private static func labels(_ row: MetricRow) -> String {
    row.labels.map { label in
      let isWord = label.value.contains(where: \.isLetter) && !["yes", "no"].contains(label.value)
      return isWord ? label.value : "\(label.name) \(label.value)"
    }
    .joined(separator: " ")
  }

  private static func value(_ row: MetricRow) -> String {
    let words = row.name.split(separator: "_")
    if words.last == "count" { return row.value }
    if words.contains("bytes") { return "\(row.value) B" }
    if words.contains("seconds") { return "\(row.value) s" }
    return row.value
  }

  // MARK: For Prometheus

  /// Its text format: the numbers of a metric stand together, below its kind and what it means.
  var prometheus: [String] {
    var order: [String] = []
    var lines: [String: [String]] = [:]
    for row in rows {
      let metric = metric(of: row.name)
      if lines[metric] == nil { order.append(metric) }
      lines[metric, default: []].append(FrameWriter.oneLine(row.description))
    }
    return order.flatMap { metric in
      let head = meanings[metric].map { meaning in
        ["# HELP \(metric) \(meaning.text)", "# TYPE \(metric) \(meaning.kind)"]
      }
      return (head ?? []) + (lines[metric] ?? [])
    }
  }

  /// The metric that a number belongs to; a histogram has several numbers.
  private func metric(of name: String) -> String {
    guard meanings[name] == nil,
      let part = ["_bucket", "_sum", "_count"].first(where: name.hasSuffix)
    else { return name }
    let metric = String(name.dropLast(part.count))
    return meanings[metric] == nil ? name : metric
  }
}
