/// A row of the answer to STATS: `METRIC{LABEL="…",…} VALUE`.
public struct MetricRow: CustomStringConvertible, Sendable {
  /// The metric's name, with a suffix such as `_bucket` for a part of a histogram.
  public let name: String
  public let labels: [(name: String, value: String)]
  /// Digits, or `+Inf`.
  public let value: String

  public init(_ name: String, _ labels: [(name: String, value: String)], value: String) {
    self.name = name
    self.labels = labels
    self.value = value
  }

  /// Parses a row without its `* `; `nil` if it has no value.
  public init?(_ row: String) {
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
    self.init(String(name), labels, value: String(row[row.index(after: blank)...]))
  }

  public var description: String {
    let texts = labels.map { "\($0.name)=\"\($0.value)\"" }
    return labels.isEmpty ? "\(name) \(value)" : "\(name){\(texts.joined(separator: ","))} \(value)"
  }
}
