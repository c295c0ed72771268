import FlowLanguage
import FlowWire

/// The output of `top` for programs: all names, or the stages of one.
struct TopReport {
  let picture: TopPicture
  let name: String?
  /// The watched subscription of the name.
  var stream: StreamPlace?
  let sort: TopSort

  // MARK: JSON

  func json() -> String {
    Self.line(.object(name.map(members) ?? members))
  }

  private var members: KeyValuePairs<String, Value?> {
    let verdict = TopVerdict(of: picture)
    let rows = picture.names(by: sort)
    return [
      "at": .int(picture.sample?.at ?? 0), "server": server,
      "verdict": .object([
        "code": .string(verdict.code),
        "name": verdict.worst.map { .string($0.name) },
        "who": verdict.worst.flatMap { $0.sample.who.isEmpty ? nil : .string($0.sample.who) },
        "lost": verdict.worst.map { .rate($0.lost) },
        "held_up": .int(verdict.heldUp),
        "text": .string(verdict.text),
      ]),
      "unserved": unserved,
      "total": .int(picture.topology?.total ?? rows.count),
      "names": .array(JSONArray(rows.map { Value.object(Self.fields(of: $0)) })),
    ]
  }

  private static func fields(of row: TopPicture.NameRow) -> KeyValuePairs<String, Value?> {
    [
      "name": .string(row.name), "kind": .string(row.kind), "verdict": .string(row.sample.code),
      "who": .string(row.sample.who), "stages": .string(row.sample.states),
      "in": .int(row.sample.came), "in_rate": .rate(row.came), "out": .int(row.sample.out),
      "out_rate": .rate(row.went), "drops": .int(row.sample.dropped),
      "drops_rate": .rate(row.lost), "subscriptions": .int(row.sample.subscriptions),
    ]
  }

  private func members(_ name: String) -> KeyValuePairs<String, Value?> {
    let watched = picture.watched(name, stream)
    let readers = watched?.readers
    return [
      "at": .int(picture.sample?.at ?? 0), "server": server, "name": .string(name),
      "kind": .string(picture.topology?.kinds[name] ?? ""),
      "stream": stream.map { .string($0.description) },
      "verdict": watched?.verdict.json ?? .null,
      "unserved": unserved,
      "stages": .array(
        JSONArray(picture.stages(of: name, stream).map { Value.object(Self.fields(of: $0)) })
      ),
      "delivery": watched.flatMap { $0.delivery.isNull ? nil : $0.delivery },
      "subscriptions": readers == nil ? nil : .int(watched?.readerCount ?? 0),
      "stalled": readers == nil ? nil : .int(watched?.stalledCount ?? 0),
      "subscribers": readers.map { .array(JSONArray($0.map(Self.object))) },
    ]
  }

  private static func fields(of row: TopPicture.StageRow) -> KeyValuePairs<String, Value?> {
    [
      "stage": .string(row.text), "op": .string(row.op),
      "starved": row.shares.map { .int($0[0]) } ?? .null,
      "working": row.shares.map { .int($0[1]) } ?? .null,
      "blocked": row.shares.map { .int($0[2]) } ?? .null,
      "in": .int(row.sample.came), "in_rate": .rate(row.came), "out": .int(row.sample.went),
      "out_rate": .rate(row.went), "held": .int(row.sample.held),
      "holds": row.holdsNothing ? .int(0) : row.holds.map(Value.int) ?? .null,
      "most": .int(row.sample.most),
      "publishers": row.sample.publishers.map(Value.int) ?? .null,
      "limit": row.limit.map(Value.int) ?? .null, "waiting": .int(row.sample.waiting),
      "demand": .demand(row.sample.demand), "drops": .int(row.sample.dropped),
      "drops_rate": .rate(row.lost),
    ]
  }

  private static func object(_ reader: WatchSample.Reader) -> Value {
    .object([
      "label": .string(reader.label), "client": .int(reader.client), "id": .int(reader.id),
      "of": reader.pipeline.map(Value.string), "demand": .demand(reader.demand),
      "values": .int(reader.values), "missed": .int(reader.missed),
      "stalled_ms": reader.stalled.map(Value.int) ?? .null, "unread": .bool(reader.isUnread),
    ])
  }

  private var unserved: Value? {
    let all = picture.sample?.unserved ?? []
    return all.isEmpty ? nil : .array(JSONArray(all.map(\.json)))
  }

  private var server: Value {
    let row = picture.server
    return .object([
      "version": .string(picture.topology?.version ?? ""),
      "connections": row.map { .int($0.connections) } ?? .null,
      "streams": row.map { .int($0.streams) } ?? .null,
      "busy": .rate(row?.busy), "in_rate": .rate(picture.came),
      "out_rate": .rate(picture.went),
    ])
  }

  /// Returns the text of a value, with terminal controls escaped.
  private static func line(_ value: Value) -> String {
    let text = unsafe value.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    guard text.unicodeScalars.contains(where: \.isUnseen) else { return text }
    return text.unicodeScalars.map { $0.isUnseen ? $0.jsonEscape : String($0) }.joined()
  }

  // MARK: CSV

  var header: String {
    name == nil
      ? "at,name,kind,verdict,who,stages,in,in_rate,out,out_rate,drops,drops_rate,subscriptions"
      : "at,name,stage,text,op,starved,working,blocked,in,in_rate,out,out_rate,held,holds,most,"
        + "publishers,limit,demand,drops,drops_rate"
  }

  /// Returns a line for each name, or for each stage.
  func rows() -> [String] {
    let at = "\(picture.sample?.at ?? 0)"
    guard let name else {
      return picture.names(by: sort).map { Self.csv([at], Array(Self.fields(of: $0))) }
    }
    return picture.stages(of: name, stream).enumerated().map { place, row in
      let fields = Self.fields(of: row).dropFirst().filter { $0.key != "waiting" }
      return Self.csv([at, name, "\(place)", row.text], fields)
    }
  }

  private static func csv(_ head: [String], _ fields: [(key: String, value: Value?)]) -> String {
    CSVText.row((head + fields.map { cell($0.value) }).map { DisplayText.visible($0) })
  }

  private static func cell(_ value: Value?) -> String {
    switch value {
    case .double(let rate)?: Figure.decimal(rate, digits: 1)
    case .int(let count)?: "\(count)"
    case .string(let text)?: text
    default: ""
    }
  }
}

extension Value {
  /// Makes an object, leaving out members without a value.
  fileprivate static func object(_ members: KeyValuePairs<String, Value?>) -> Value {
    .object(
      JSONObject(
        members: members.compactMap { key, value in
          value.map { .init(key: key, value: $0.rounded) }
        }
      )
    )
  }

  fileprivate static func rate(_ rate: Double?) -> Value { rate.map(Value.double) ?? .null }

  /// A rate with three decimals; any other value unchanged.
  private var rounded: Value {
    guard case .double(let rate) = self else { return self }
    let rounded = (rate * 1000).rounded() / 1000
    return Int(exactly: rounded).map(Value.int) ?? .double(rounded)
  }

  fileprivate static func demand(_ demand: String) -> Value {
    Int(demand).map(Value.int) ?? .string(demand)
  }
}
