import FlowWire

/// The names that the server has, as far as it has told.
struct KnownNames: Equatable {
  static let most = 20_000

  private(set) var kinds: [String: String] = [:]

  /// All names, in order; those of some kinds if any are given.
  func names(_ wanted: Set<String>? = nil) -> [String] {
    kinds.filter { wanted?.contains($0.value) ?? true }.keys.sorted()
  }

  func contains(_ name: String) -> Bool { kinds[name] != nil }

  /// What LIST says instead of what was known.
  mutating func replace(rows: [String]) {
    kinds = [:]
    for row in rows { add(row: row) }
  }

  /// A row of LIST: `subject orders …`.
  mutating func add(row: String) {
    let words = row.split(separator: " ", maxSplits: 2)
    guard words.count > 1, kinds.count < Self.most,
      ["subject", "pipeline", "run", "service"].contains(words[0])
    else { return }
    kinds[String(words[1])] = String(words[0])
  }

  /// What a command that the server has accepted changes.
  mutating func note(_ command: Command) {
    switch command {
    case .subject(let name, _): add(row: "subject \(name)")
    case .pipeline(let name, _): add(row: "pipeline \(name)")
    case .run(let name, _, _): add(row: "run \(name)")
    case .delete(let name, nil): kinds[name] = nil
    default: break
    }
  }
}
