internal import FlowNATS
internal import FlowWire

/// Who reads a subject in NATS, through one consumer.
struct SharedReader: Equatable {
  enum Kind: Equatable {
    /// All subscriptions of one server.
    case subscriptions
    case run(String)
    case durable(String)
    /// A consumer that another client of NATS has made.
    case foreign(String)
  }

  let kind: Kind
  /// The server that has it, or had it last.
  let server: String
  /// How many values it has not had, or not acknowledged.
  let behind: Int

  /// Reads it from the name of a consumer; that of a Flow server ends in an epoch and a generation.
  init(_ row: ConsumerPage.Row) {
    let parts = row.name.split(separator: "-", omittingEmptySubsequences: false)
    let name = parts.dropFirst().dropLast(2)
    kind =
      switch parts.first {
      case "s" where parts.count == 3: .subscriptions
      // Behind the name of a run stands the place of its definition.
      case "r" where name.count > 1:
        .run(JetStream.name(inToken: name.dropLast().joined(separator: "-")))
      case "d" where !name.isEmpty: .durable(name.joined(separator: "-"))
      default: .foreign(FrameWriter.oneLine(row.name))
      }
    server = row.server.map(FrameWriter.oneLine) ?? "?"
    behind = row.behind
  }

  /// The server that reads, or `consumer=NAME` for another client of NATS.
  var place: String { if case .foreign(let name) = kind { "consumer=\(name)" } else { server } }

  var durable: String? { if case .durable(let name) = kind { name } else { nil } }
}
