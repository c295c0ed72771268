internal import FlowWire
internal import Spelling

// STATS: the metrics of the server, or of names.
extension Report {
  /// The rows of all names that fit, those of one after those of another.
  func stats(like pattern: NamePattern) -> Rows {
    let services = engine.services.sorted.map(\.name).filter { engine.registry[$0] == nil }
    var names = (engine.registry.names + services).filter(pattern.fits)[...]
    var rows: [String] = []
    return {
      while rows.isEmpty {
        guard let name = names.popFirst() else { return nil }
        let isThere = engine.registry[name] != nil || engine.services[name] != nil
        if isThere, gate.reads(name) { rows = stats(name).reversed() }
      }
      return rows.popLast()
    }
  }

  /// The rows of the definition and of the service `name`; without a name, those of the server.
  func stats(_ name: String?) -> [String] {
    let measured = Measured(engine, for: gate)
    guard let name else { return measured.ofServer.map { "\($0.row)" } }
    let service = engine.services[name].map { measured.of($0) } ?? []
    return (measured.of(name) + service).map { "\($0.row)" }
  }
}
