import FlowLanguage
import FlowWire

struct WatchAnswer {
  /// Left out if nothing has changed.
  var topology: WatchTopology?
  var sample: WatchSample

  /// Reads the rows; nil if they are none of a WATCH.
  init?(rows: [String]) {
    var texts: [Row.Kind: String] = [:]
    for row in rows.lazy.map({ Row($0) }) { texts[row.kind, default: ""] += row.text }
    guard let sample = texts[.sample] else { return nil }
    topology = texts[.topology].map { WatchTopology(Value(json: $0)) }
    self.sample = WatchSample(Value(json: sample))
  }
}

/// The names of a server, and the stages of the watched one.
struct WatchTopology {
  struct Stage {
    let text: String
    let op: String
    /// The most values it may hold; nil if that is unknown.
    let holds: Int?
    let holdsNothing: Bool
    /// The most publishers at a time; nil without a limit, or if it has no publishers.
    let publishers: Int?
  }

  let version: String
  let started: Int
  let changes: Int?
  /// The number of names; perhaps more than are told.
  let total: Int
  let kinds: [String: String]
  /// The name that was asked about and its stages.
  let watched: String?
  let stages: [Stage]

  init(_ json: Value) {
    let server = json.member("server") ?? .null
    version = server.words("version")
    started = server.count("started")
    changes = json.member("changes")?.int
    total = json.count("total")
    let names = json.member("names")?.elements ?? []
    kinds = Dictionary(names.map { ($0.words("name"), $0.words("kind")) }) { $1 }
    watched = json.member("watched")?.member("name")?.text
    stages = (json.member("watched")?.member("stages")?.elements ?? []).map { stage in
      Stage(
        text: stage.words("text"),
        op: stage.words("op"),
        holds: stage.member("holds")?.int,
        holdsNothing: stage.member("holds") == nil,
        publishers: stage.member("publishers")?.int
      )
    }
  }
}

/// The figures at one time.
struct WatchSample {
  /// Values a second that come, go on and are dropped, as the server's verdict and its page tell them.
  struct Rates {
    let came: Double
    let went: Double
    let lost: Double

    /// Reads `[came, went, lost]`; nil if the server does not know them yet.
    init?(_ json: Value?) {
      let rates = json?.elements.compactMap(\.double) ?? []
      guard rates.count == 3 else { return nil }
      came = rates[0]
      went = rates[1]
      lost = rates[2]
    }
  }

  struct Name {
    let name: String
    let code: String
    let who: String
    /// A letter for each stage.
    let states: String
    let out: Int
    let dropped: Int
    let subscriptions: Int
    let came: Int
    let rates: Rates?
  }

  struct Stage {
    let came: Int
    let went: Int
    let dropped: Int
    let demand: String
    let held: Int
    let most: Int
    let publishers: Int?
    /// Values that wait with the publishers of a subject.
    let waiting: Int
    /// How often it was found starved, working and blocked.
    let looks: [Int]
    let rates: Rates?
  }

  struct Verdict {
    let code: String
    let text: String
    let hint: String
    let stage: Int?
    let at: Int?
    let lost: Double
    /// How long the problem has lasted, in milliseconds; nil if there is none.
    let lasted: Int?
    let json: Value
  }

  struct Reader {
    let label: String
    let client: Int
    let id: Int
    let demand: String
    let values: Int
    let missed: Int
    /// How long it has requested nothing, in milliseconds.
    let stalled: Int?
    let isUnread: Bool
    let pipeline: String?

    /// Its numbers; nil if it is a run.
    var place: StreamPlace? { StreamPlace("\(client).\(id)") }
  }

  /// A service without a worker, and calls that wait for one.
  struct Unserved {
    let text: String
    let hint: String
    /// Whether one of the calls is made for a stream of this connection.
    let isOwn: Bool
    let json: Value
  }

  struct Watched {
    let name: String
    /// The one subscription that this is about; nil if it is about all.
    let stream: StreamPlace?
    let verdict: Verdict
    let stages: [Stage]
    /// The subscribers; nil if the name cannot have any.
    let readers: [Reader]?
    let readerCount: Int
    let stalledCount: Int
    /// The time that values take from the source to the end; null if unknown.
    let delivery: Value
  }

  /// Milliseconds since the server began.
  let at: Int
  let isJudged: Bool
  /// Whether there are figures of the whole server, which a token without the right `admin` does not get.
  let tellsServer: Bool
  let connections: Int
  let streams: Int
  /// The share of its time that the event loop is at work.
  let busy: Double
  let came: Int
  let went: Int
  let unserved: [Unserved]
  let names: [String: Name]
  let watched: Watched?

  init(_ json: Value) {
    at = json.count("at")
    isJudged = json.member("judged")?.truth ?? true
    let server = json.member("server") ?? .null
    tellsServer = !server.isNull
    connections = server.count("connections")
    streams = server.count("streams")
    busy = server.member("busy")?.double ?? 0
    came = server.count("in")
    went = server.count("out")
    unserved = (json.member("unserved")?.elements ?? []).map { service in
      Unserved(
        text: service.words("text"),
        hint: service.words("hint"),
        isOwn: service.member("own")?.truth ?? false,
        json: service
      )
    }
    let all = json.member("all")?.members ?? []
    names = Dictionary(all.map { ($0.key, Name($0.key, $0.value.elements)) }) { $1 }
    watched = json.member("watched").flatMap { $0.isNull ? nil : Watched($0) }
  }
}

extension WatchSample.Name {
  init(_ name: String, _ row: [Value]) {
    func text(_ place: Int) -> String { place < row.count ? row[place].text ?? "" : "" }
    func count(_ place: Int) -> Int { place < row.count ? row[place].int ?? 0 : 0 }
    self.name = name
    code = text(0)
    who = text(1)
    states = text(2)
    out = count(3)
    dropped = count(4)
    subscriptions = count(5)
    came = count(6)
    rates = WatchSample.Rates(row.count > 7 ? row[7] : nil)
  }
}

extension WatchSample.Watched {
  init(_ json: Value) {
    name = json.words("name")
    stream = StreamPlace(json.words("stream")[...])
    let verdict = json.member("verdict") ?? .null
    self.verdict = WatchSample.Verdict(
      code: verdict.words("code"),
      text: verdict.words("text"),
      hint: verdict.words("hint"),
      stage: verdict.member("stage")?.int,
      at: verdict.member("at")?.int,
      lost: verdict.member("lost")?.double ?? 0,
      lasted: verdict.member("lasted")?.int,
      json: verdict
    )
    stages = (json.member("stages")?.elements ?? []).map { stage in
      WatchSample.Stage(
        came: stage.count("in"),
        went: stage.count("out"),
        dropped: stage.count("dropped"),
        demand: stage.demand("asked"),
        held: stage.count("held"),
        most: stage.count("most"),
        publishers: stage.member("publishers")?.int,
        waiting: stage.count("waiting"),
        looks: stage.member("time")?.elements.map { $0.int ?? 0 } ?? [0, 0, 0],
        rates: WatchSample.Rates(stage.member("rates"))
      )
    }
    delivery = json.member("delivery") ?? .null
    let subscribers = json.member("subscribers")
    readerCount = subscribers?.count("count") ?? 0
    stalledCount = subscribers?.count("stalled") ?? 0
    readers = subscribers?.member("rows")?.elements.map { row in
      WatchSample.Reader(
        label: row.words("label"),
        client: row.count("client"),
        id: row.count("id"),
        demand: row.demand("asked"),
        values: row.count("values"),
        missed: row.count("missed"),
        stalled: row.member("stalled")?.int,
        isUnread: row.member("unread")?.truth ?? false,
        pipeline: row.member("of")?.text
      )
    }
  }
}
