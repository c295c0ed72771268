import FlowLanguage
import FlowWire

struct WatchAnswer {
  /// `nil` if unchanged.
  var topology: WatchTopology?
  var sample: WatchSample

  /// Parses the rows of WATCH; nil if they are malformed.
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
    /// The most values it may hold; nil if unknown.
    let holds: Int?
    let holdsNothing: Bool
    /// The most publishers at a time; nil if unlimited, or if it has no publishers.
    let publishers: Int?
  }

  let version: String
  let started: Int
  let changes: Int?
  /// The number of names; the answer may have fewer.
  let total: Int
  let kinds: [String: String]
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
  /// Values per second received, sent and lost, as the server's verdict and its page show them.
  struct Rates {
    let came: Double
    let went: Double
    let lost: Double

    /// Parses `[came, went, lost]`; nil before the server knows them.
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
    /// Values that wait with a subject's publishers.
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

    /// Its connection and id; nil if it is a run.
    var place: StreamPlace? { StreamPlace("\(client).\(id)") }
  }

  /// A service without a worker, and the calls that wait for one.
  struct Unserved {
    let text: String
    let hint: String
    /// Whether one of the calls is for a stream of this connection.
    let isOwn: Bool
    let json: Value
  }

  struct Watched {
    let name: String
    /// The subscription; nil for the sum of all.
    let stream: StreamPlace?
    let verdict: Verdict
    let stages: [Stage]
    /// The subscribers; nil if the name cannot have any.
    let readers: [Reader]?
    let readerCount: Int
    let stalledCount: Int
    /// The time of values from the source to the end; null if unknown.
    let delivery: Value
  }

  /// Milliseconds since the server's start.
  let at: Int
  let isJudged: Bool
  /// Whether it has figures of the whole server, which require the right `admin`.
  let tellsServer: Bool
  let connections: Int
  let streams: Int
  /// The share of time that the event loop is busy.
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
