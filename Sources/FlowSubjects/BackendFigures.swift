/// The figures that a subject with a backend has beside those of all subjects.
package struct BackendFigures {
  /// The state, as rows show it.
  package var state = ""
  /// Whether the backend can be reached.
  package var isUp = true
  /// Whether the backend has lost values.
  package var isLost = false
  /// How many values may wait for the slowest reader of a `flow=slowest` subject.
  package var room: Int?
  /// How many of them do, once this server has asked.
  package var used: Int?
  /// How many of them do, as far as this server knows.
  package var stored = 0
  /// Whether no more may.
  package var isFull = false
  /// The reader that was furthest behind when this server last asked.
  package var slowest: BackendReader?
  /// Values of this server's publishers that are not stored.
  package var unstored = 0
  /// Values that readers which have left this server were given and missed.
  package var readBefore = (delivered: 0, missed: 0)
  /// Values that were read and given to nobody.
  package var leftOut = 0
  /// Values that were gone before they were read.
  package var gaps = 0

  package init() {}
}

/// A reader of a subject with a backend, on any server.
package struct BackendReader: Equatable {
  package enum Kind: Equatable {
    /// All subscriptions of one server.
    case subscriptions
    case run(String)
    case durable(String)
    /// A reader that is none of a Flow server.
    case foreign(String)
  }

  package let kind: Kind
  /// The server that has it, or had it last.
  package let server: String
  /// How many values it has not had, or not acknowledged.
  package var behind: Int

  package init(_ kind: Kind, server: String, behind: Int) {
    self.kind = kind
    self.server = server
    self.behind = behind
  }

  /// The server that reads, or `consumer=NAME` for a foreign reader.
  package var place: String {
    if case .foreign(let name) = kind { "consumer=\(name)" } else { server }
  }

  package var durable: String? { if case .durable(let name) = kind { name } else { nil } }
}
