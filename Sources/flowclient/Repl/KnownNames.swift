import FlowWire

/// The server's names, as far as they are known.
struct KnownNames: Equatable {
  static let most = 20_000

  private(set) var kinds: [String: String] = [:]

  /// Returns the names in order, optionally of some kinds only.
  func names(_ wanted: Set<String>? = nil) -> [String] {
    kinds.filter { wanted?.contains($0.value) ?? true }.keys.sorted()
  }

  func contains(_ name: String) -> Bool { kinds[name] != nil }

  /// Replaces all names with those in the rows of LIST.
  mutating func replace(rows: [String]) {
    kinds = [:]
    for row in rows.lazy.map({ Row($0) }) where Self.named.contains(row.kind) {
      add(row.kind, row.name)
    }
  }

  private static let named: [Row.Kind] = [.subject, .pipeline, .run, .service]

  private mutating func add(_ kind: Row.Kind, _ name: String) {
    if kinds.count < Self.most { kinds[name] = kind.word }
  }

  /// Records the effect of an accepted command.
  mutating func record(_ command: Command) {
    switch command {
    case .subject(let name, _): add(.subject, name)
    case .pipeline(let name, _): add(.pipeline, name)
    case .run(let name, _, _, _): add(.run, name)
    case .delete(let name, nil): kinds[name] = nil
    default: break
    }
  }
}
