/// What the server tells of itself, in rows, to somebody who may not know all of it.
///
/// The rows of a long answer are made as they are read. Whoever asks may lose rights meanwhile, so
/// these are looked up for each row.
struct Report {
  /// Gives row after row, until there are no more.
  typealias Rows = () -> String?

  unowned let engine: Engine
  private let rights: () -> Access
  /// The number of the client who asks.
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

  /// The rows of `first`, then those of `second`.
  static func chain(_ first: @escaping Rows, _ second: @escaping Rows) -> Rows {
    { first() ?? second() }
  }
}
