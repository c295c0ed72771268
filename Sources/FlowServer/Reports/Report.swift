/// Answers about the server, for a client that may not know everything.
///
/// Rows of a long answer are made as they are read. Rights are checked for each row, because they
/// may change meanwhile.
struct Report {
  /// Returns row after row, then nil.
  typealias Rows = () -> String?

  unowned let engine: Engine
  private let rights: () -> Access
  /// The number of the asking client.
  let reader: Int

  init(_ engine: Engine, for reader: Int, rights: @escaping () -> Access) {
    self.engine = engine
    self.reader = reader
    self.rights = rights
  }

  var access: Access { rights() }

  var gate: Gate { engine.gate(for: access) }

  static func each(of rows: [String]) -> Rows {
    var rows = rows[...]
    return { rows.popFirst() }
  }

  static func chain(_ first: @escaping Rows, _ second: @escaping Rows) -> Rows {
    { first() ?? second() }
  }
}
