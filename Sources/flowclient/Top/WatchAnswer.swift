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
    let json: Value

    var text: String { json.words("text") }
    var op: String { json.words("op") }
    /// The most values it may hold; nil if unknown.
    var holds: Int? { json.member("holds")?.int }
    var holdsNothing: Bool { json.member("holds") == nil }
    /// The most publishers at a time; nil if unlimited, or if it has no publishers.
    var publishers: Int? { json.member("publishers")?.int }
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
    kinds = Dictionary(json.list("names").map { ($0.words("name"), $0.words("kind")) }) { $1 }
    let watched = json.member("watched") ?? .null
    self.watched = watched.member("name")?.text
    stages = watched.list("stages").map { Stage(json: $0) }
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
    let json: Value

    var came: Int { json.count("in") }
    var went: Int { json.count("out") }
    var dropped: Int { json.count("dropped") }
    var demand: String { json.demand("asked") }
    var held: Int { json.count("held") }
    var most: Int { json.count("most") }
    var publishers: Int? { json.member("publishers")?.int }
    /// Values that wait with a subject's publishers.
    var waiting: Int { json.count("waiting") }
    /// How often it was found starved, working and blocked.
    var looks: [Int] { json.member("time")?.elements.map { $0.int ?? 0 } ?? [0, 0, 0] }
    var rates: Rates? { Rates(json.member("rates")) }
  }

  struct Verdict {
    let json: Value

    var code: String { json.words("code") }
    var text: String { json.words("text") }
    var hint: String { json.words("hint") }
    var stage: Int? { json.member("stage")?.int }
    var at: Int? { json.member("at")?.int }
    var lost: Double { json.member("lost")?.double ?? 0 }
    /// How long the problem has lasted, in milliseconds; nil if there is none.
    var lasted: Int? { json.member("lasted")?.int }
  }

  struct Reader {
    let json: Value

    var label: String { json.words("label") }
    var client: Int { json.count("client") }
    var id: Int { json.count("id") }
    var demand: String { json.demand("asked") }
    var values: Int { json.count("values") }
    var missed: Int { json.count("missed") }
    /// How long it has requested nothing, in milliseconds.
    var stalled: Int? { json.member("stalled")?.int }
    var isUnread: Bool { json.member("unread")?.truth ?? false }
    var pipeline: String? { json.member("of")?.text }
    /// Its connection and id; nil if it is a run.
    var place: StreamPlace? { StreamPlace("\(client).\(id)") }
  }

  /// A service without a worker, and the calls that wait for one.
  struct Unserved {
    let json: Value

    var text: String { json.words("text") }
    var hint: String { json.words("hint") }
    /// Whether one of the calls is for a stream of this connection.
    var isOwn: Bool { json.member("own")?.truth ?? false }
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
    unserved = json.list("unserved").map { Unserved(json: $0) }
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
    verdict = WatchSample.Verdict(json: json.member("verdict") ?? .null)
    stages = json.list("stages").map { WatchSample.Stage(json: $0) }
    delivery = json.member("delivery") ?? .null
    let subscribers = json.member("subscribers") ?? .null
    readerCount = subscribers.count("count")
    stalledCount = subscribers.count("stalled")
    readers = subscribers.member("rows")?.elements.map { WatchSample.Reader(json: $0) }
  }
}
