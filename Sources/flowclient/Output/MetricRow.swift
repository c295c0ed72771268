/// A number of the answer to STATS: a row `METRIC{LABEL="…",…} VALUE`.
struct MetricRow {
  /// The row as it came.
  let text: String
  let name: String
  let labels: [(name: String, value: String)]
  let value: String

  /// Reads a row; nil if there is no value in it.
  init?(_ row: String) {
    guard let blank = row.lastIndex(of: " ") else { return nil }
    var name = row[..<blank]
    var labels: [(name: String, value: String)] = []
    if name.last == "}", let brace = name.firstIndex(of: "{") {
      for label in name[brace...].dropFirst().dropLast().split(separator: "\",") {
        let parts = label.split(separator: "=\"", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { continue }
        let value = parts[1].last == "\"" ? parts[1].dropLast() : parts[1]
        labels.append((String(parts[0]), String(value)))
      }
      name = name[..<brace]
    }
    text = row
    self.name = String(name)
    self.labels = labels
    value = String(row[row.index(after: blank)...])
  }
}
