import FlowLanguage

/// What was tried, and how often: each operator with each thing that came of it, each verb with the
/// state it was said in.
struct Coverage: CustomStringConvertible {
  /// By the row, then by what stands behind `×`.
  private var rows: [String: [String: Int]] = [:]
  private var others: [String: Int] = [:]

  init(_ counts: [String: Int]) {
    for (what, count) in counts {
      let parts = what.split(separator: " × ").map(String.init)
      if parts.count == 2 {
        rows[parts[0], default: [:]][parts[1]] = count
      } else {
        others[what] = count
      }
    }
  }

  var description: String {
    var lines = rows.sorted { $0.key < $1.key }.map { "\($0.key): \(Self.list($0.value))" }
    lines.append("in all: \(Self.list(others))")
    lines.append("never tried: \(untried.joined(separator: " "))")
    return lines.map { "  \($0)\n" }.joined()
  }

  private static func list(_ counts: [String: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  /// Operators through which no value has come.
  private var untried: [String] {
    let names = OperatorTable.all.filter { $0.role != .ending }.map(\.name)
    return names.filter { rows[$0]?["value"] == nil }
  }
}
