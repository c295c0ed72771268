internal import FlowWire
internal import Spelling

extension Report {
  /// The metrics of all matching names.
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

  /// The metrics of `name`, a definition or a service; without a name, of the server.
  func stats(_ name: String?) -> [String] {
    let measured = Measured(engine, for: gate)
    guard let name else { return measured.ofServer.map { "\($0.row)" } }
    let service = engine.services[name].map { measured.of($0) } ?? []
    return (measured.of(name) + service).map { "\($0.row)" }
  }
}
