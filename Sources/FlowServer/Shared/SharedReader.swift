internal import FlowNATS

/// Who reads a subject in NATS, through one consumer.
struct SharedReader: Equatable {
  enum Kind: Equatable {
    /// All subscriptions of one server.
    case subscriptions
    case run(String)
    case durable(String)
  }

  let kind: Kind
  /// The server that has it, or had it last.
  let server: String
  /// How many values it has not had, or not acknowledged.
  let behind: Int

  /// Reads it from the name of a consumer, which ends in an epoch and a generation; nil if that is none
  /// of Flow's.
  init?(_ row: ConsumerPage.Row) {
    let parts = row.name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 3 else { return nil }
    let name = parts.dropFirst().dropLast(2)
    switch parts[0] {
    case "s" where name.isEmpty: kind = .subscriptions
    // Behind the name of a run stands the place of its definition.
    case "r" where name.count > 1:
      kind = .run(JetStream.name(inToken: name.dropLast().joined(separator: "-")))
    case "d" where !name.isEmpty: kind = .durable(name.joined(separator: "-"))
    default: return nil
    }
    server = row.server ?? "?"
    behind = row.behind
  }

  var durable: String? { if case .durable(let name) = kind { name } else { nil } }
}
