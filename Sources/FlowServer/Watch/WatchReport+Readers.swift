internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// Who reads the name that was chosen.
extension WatchReport {
  /// The most rows of subscribers that are told.
  private static let mostRows = 50

  private struct Reader {
    /// Both are 0 for a run.
    var client = 0
    var id: UInt64 = 0
    let label: String
    let asked: Int
    /// How many values it was sent and has missed; nil if that may not be shown.
    let values: (sent: Int, missed: Int)?
    /// In milliseconds.
    let stalled: Int?
    var isUnread = false
    /// The name that it reads by, if that is another one.
    let pipeline: String?
  }

  func subscribers(of pipeline: Pipeline) -> Value {
    subscribers(
      engine.streams(of: pipeline).map { stream in
        reader(
          stream,
          asked: stream.demand.max.map { Int(clamping: $0) } ?? .max,
          stalled: stream.stalled,
          isUnread: stream.isUnread
        )
      }
    )
  }

  /// How many values all subscriptions of a subject ask for, and who they are.
  func subscribers(of subject: ServerSubject) -> (asked: Int, Value) {
    var readers: [Reader] = []
    var asked = 0
    for part in subject.readable {
      part.forEachOutlet { outlet in
        asked = addDemand(asked, outlet.available)
        if let reader = reader(outlet, at: part) { readers.append(reader) }
      }
    }
    return (asked, subscribers(readers))
  }

  private func subscribers(_ readers: [Reader]) -> Value {
    let sorted = readers.sorted {
      ($0.stalled ?? -1, $1.client, $1.id) > ($1.stalled ?? -1, $0.client, $0.id)
    }
    return .object([
      "count": .int(readers.count),
      "stalled": .int(readers.count { ($0.stalled ?? 0) >= 1000 }),
      "rows": .array(sorted.prefix(Self.mostRows).map(value)),
    ])
  }

  private func value(_ reader: Reader) -> Value {
    .object([
      "client": .int(reader.client),
      "id": .int(Int(clamping: reader.id)),
      "label": .string(reader.label),
      "asked": .demand(reader.asked),
      "values": reader.values.map { .int($0.sent) },
      "missed": reader.values.map { .int($0.missed) },
      "stalled": reader.stalled.map(Value.int) ?? .null,
      "unread": reader.isUnread ? .bool(true) : nil,
      "of": reader.pipeline.map(Value.string),
    ])
  }

  private func reader(
    _ stream: ClientSubscription,
    asked: Int,
    stalled: Int64?,
    isUnread: Bool
  ) -> Reader {
    let isOwn = stream.name == query.name || stream.isNameless
    return Reader(
      client: stream.client.id,
      id: stream.id,
      label: gate.seesServer ? stream.person : "client \(stream.client.id)",
      asked: asked,
      values: gate.reads(stream) ? (stream.values, stream.missedInAll) : nil,
      stalled: stalled.map { Int($0 / 1_000_000) },
      isUnread: isUnread,
      pipeline: isOwn || !gate.knows(stream.name) ? nil : stream.name
    )
  }

  private func reader(_ outlet: Outlet, at subject: ServerSubject) -> Reader? {
    let (asked, stalled) = (outlet.available, subject.stalled(outlet))
    switch engine.owner(of: outlet) {
    case let stream as ClientSubscription:
      return reader(stream, asked: asked, stalled: stalled, isUnread: outlet.isUnread)
    case let run as Run:
      let isKnown = gate.knows(run.name)
      let values = (run.values, run.misses.values.reduce(0, +))
      return Reader(
        label: isKnown ? "run \(run.name)" : "a run",
        asked: asked,
        values: isKnown && gate.seesInside(run.standing) ? values : nil,
        stalled: stalled.map { Int($0 / 1_000_000) },
        pipeline: isKnown ? run.name : nil
      )
    default: return nil
    }
  }
}
