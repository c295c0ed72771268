/// Figures that only a subject with a backend has.
package struct BackendFigures {
  /// The state, as rows show it.
  package var state = ""
  package var isUp = true
  package var isLost = false
  /// How many values may wait for the slowest reader; `flow=slowest` only.
  package var room: Int?
  /// How many of `room` are used, as the backend said when last asked.
  package var used: Int?
  /// How many of `room` are used, as far as this server knows.
  package var stored = 0
  package var isFull = false
  /// The reader that was furthest behind when this server last asked.
  package var slowest: BackendReader?
  /// Values of this server's publishers that are not yet stored.
  package var unstored = 0
  /// Totals of the readers that have left this server.
  package var readBefore = (delivered: 0, missed: 0)
  /// Values that were read and delivered to no subscription.
  package var leftOut = 0
  /// Values that the backend deleted before they were read.
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
    /// A NATS consumer that Flow did not create.
    case foreign(String)
  }

  package let kind: Kind
  /// The server that reads, or read last.
  package let server: String
  /// How many values it has not read, or not acknowledged.
  package var behind: Int

  package init(_ kind: Kind, server: String, behind: Int) {
    self.kind = kind
    self.server = server
    self.behind = behind
  }

  /// The server, or `consumer=NAME` for a foreign reader.
  package var place: String {
    if case .foreign(let name) = kind { "consumer=\(name)" } else { server }
  }

  package var durable: String? { if case .durable(let name) = kind { name } else { nil } }
}
