internal import FlowLanguage
internal import FlowSubjects

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

  /// Stands for what a client may not see.
  static let hidden = "…"

  /// Whether all of `names` may be read, and what came to those that are subjects from elsewhere:
  /// then it may be told what was made of them.
  func reads(_ names: [String]) -> Bool { engine.reads(names, access) }

  /// A text that was made of all `names`, or what stands for it.
  func visible(_ text: @autoclosure () -> String, of names: [String]) -> String {
    reads(names) ? text() : Self.hidden
  }

  static func each(of rows: [String]) -> Rows {
    var rows = rows[...]
    return { rows.popFirst() }
  }

  /// The rows of `first`, then those of `second`.
  static func chain(_ first: @escaping Rows, _ second: @escaping Rows) -> Rows {
    { first() ?? second() }
  }
}

extension Engine {
  /// Whether `access` is good for all of `names`, and for what came to the subjects among them.
  func reads(_ names: [String], _ access: Access) -> Bool {
    !access.isRestricted || access.reads(origins(of: names))
  }

  /// `names`, and for subjects among them the names that their failures were made of.
  func origins(of names: [String]) -> [String] {
    names + names.flatMap { registry.subject($0)?.failureOrigins ?? [] }
  }
}

extension Run {
  /// All that it names, its target too.
  var mentions: [String] { standing.pipeline.mentions + [standing.target] }
}
