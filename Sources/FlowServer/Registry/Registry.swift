internal import FlowLanguage
internal import FlowWire

/// The one name space of subjects and pipelines.
final class Registry {
  enum Entry {
    case subject(ServerSubject)
    case pipeline(Pipeline)
  }

  private let limit: Int
  private var entries: [String: Entry] = [:]
  private var order: [String] = []

  init(limit: Int) { self.limit = limit }

  subscript(name: String) -> Entry? { entries[name] }

  func subject(_ name: String) -> ServerSubject? {
    guard case .subject(let subject) = entries[name] else { return nil }
    return subject
  }

  /// All names, in the order of definition.
  var names: [String] { order }

  /// Whether as many things of the kind of `entry` exist as may.
  func isFull(for entry: Entry) -> Bool {
    guard order.count >= limit else { return false }
    var count = 0
    for case let other? in entries.values.lazy.map(Optional.some) {
      switch (entry, other) {
      case (.subject, .subject), (.pipeline, .pipeline): count += 1
      default: break
      }
    }
    return count >= limit
  }

  func add(_ entry: Entry, named name: String) {
    if entries.updateValue(entry, forKey: name) == nil { order.append(name) }
  }

  func remove(_ name: String) -> Entry? {
    guard let entry = entries.removeValue(forKey: name) else { return nil }
    order.removeAll { $0 == name }
    return entry
  }

  /// Compiles `expression`; the names in it are resolved now.
  func compile(_ expression: Expression) throws(Diagnostic) -> Pipeline {
    try Pipeline(
      expression.text,
      lookup: { name in
        switch self.entries[name] {
        case .subject: .subject
        case .pipeline(let pipeline): .pipeline(pipeline)
        case nil: nil
        }
      },
      names: { self.order }
    )
  }
}
