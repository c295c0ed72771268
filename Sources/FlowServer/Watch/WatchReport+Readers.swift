internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// Readers of the watched name.
extension WatchReport {
  private static let mostRows = 50

  /// What orders the readers; the rest is told of the first ones only, since there may be thousands.
  private struct Reader {
    /// A stream or a run.
    let owner: any PipelineOwner
    /// Both are 0 for a run.
    var client = 0
    var id: UInt64 = 0
    let asked: Int
    /// In milliseconds.
    let stalled: Int?
    let isUnread: Bool
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

  /// The total demand of a subject's subscriptions, and who they are.
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
    let (label, values, pipeline) = words(of: reader.owner)
    return .object([
      "client": .int(reader.client),
      "id": .int(Int(clamping: reader.id)),
      "label": .string(label),
      "asked": .demand(reader.asked),
      "values": values.map { .int($0.sent) },
      "missed": values.map { .int($0.missed) },
      "stalled": reader.stalled.map(Value.int) ?? .null,
      "unread": reader.isUnread ? .bool(true) : nil,
      "of": pipeline.map(Value.string),
    ])
  }

  /// What is told of a reader: its name, how many values it got and missed unless that is hidden, and the
  /// name through which it reads, if that is another one.
  private func words(
    of owner: any PipelineOwner
  ) -> (label: String, values: (sent: Int, missed: Int)?, pipeline: String?) {
    guard let stream = owner as? ClientSubscription else {
      guard let run = owner as? Run, gate.knows(run.name) else { return ("a run", nil, nil) }
      let values = (sent: run.values, missed: run.misses.values.reduce(0, +))
      return ("run \(run.name)", gate.seesInside(run.standing) ? values : nil, run.name)
    }
    let isOwn = stream.name == query.name || stream.isNameless
    return (
      gate.seesServer ? stream.person : "client \(stream.client.id)",
      gate.reads(stream) ? (sent: stream.values, missed: stream.missedInAll) : nil,
      isOwn || !gate.knows(stream.name) ? nil : stream.name
    )
  }

  private func reader(
    _ stream: ClientSubscription,
    asked: Int,
    stalled: Int64?,
    isUnread: Bool
  ) -> Reader {
    Reader(
      owner: stream,
      client: stream.client.id,
      id: stream.id,
      asked: asked,
      stalled: stalled.map { Int($0 / 1_000_000) },
      isUnread: isUnread
    )
  }

  private func reader(_ outlet: Outlet, at subject: ServerSubject) -> Reader? {
    let (asked, stalled) = (outlet.available, subject.stalled(outlet))
    switch engine.owner(of: outlet) {
    case let stream as ClientSubscription:
      return reader(stream, asked: asked, stalled: stalled, isUnread: outlet.isUnread)
    case let run as Run:
      return Reader(
        owner: run,
        asked: asked,
        stalled: stalled.map { Int($0 / 1_000_000) },
        isUnread: false
      )
    default: return nil
    }
  }
}
