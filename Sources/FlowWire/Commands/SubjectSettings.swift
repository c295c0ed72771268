/// What a subject keeps for later subscribers, and which subscribers it waits for.
public struct SubjectSettings: Hashable, Sendable {
  /// The values that a subject keeps for later subscribers.
  public enum Kind: Hashable, Sendable {
    /// None.
    case passthrough
    /// The newest value; the payload is the initial one.
    case current([UInt8])
    /// The newest values, at most this many.
    case replay(Int)
  }

  public enum Flow: String, Sendable, CaseIterable {
    /// None: a subscriber without demand misses the value and is notified.
    case free
    /// The slowest subscriber: no value is missed.
    case slowest
  }

  public var kind: Kind
  public var flow: Flow
  /// How long one subscriber may hold up the others, in nanoseconds; `nil` uses the server's
  /// setting.
  public var stall: Int64?
  /// The least number of values per second that a subscription must take while it holds up the
  /// others, on average over `stall`; `flow=slowest` only.
  public var rate: Int?
  /// How NATS JetStream stores the values; `nil` keeps the subject on one server.
  public var nats: NATS?

  /// How NATS JetStream stores the values of a subject.
  public struct NATS: Hashable, Sendable {
    public enum Storage: String, Sendable, CaseIterable {
      case file
      /// In memory: they are lost when all NATS servers stop.
      case memory
    }

    /// How many values may wait for the slowest subscriber if `flow=slowest`; `nil` is 4,096.
    public var room: Int?
    /// How many NATS servers store them: 1, 3 or 5; `nil` is 3 in a cluster, otherwise 1.
    public var replicas: Int?
    /// `nil` stores them in files.
    public var storage: Storage?

    public init(room: Int? = nil, replicas: Int? = nil, storage: Storage? = nil) {
      self.room = room
      self.replicas = replicas
      self.storage = storage
    }
  }

  /// Makes settings; the defaults behave like Combine's `PassthroughSubject`.
  public init(
    kind: Kind = .passthrough,
    flow: Flow = .free,
    stall: Int64? = nil,
    rate: Int? = nil,
    nats: NATS? = nil
  ) {
    self.kind = kind
    self.flow = flow
    self.stall = stall
    self.rate = rate
    self.nats = nats
  }

  /// Whether two definitions of a subject are compatible; omitted NATS settings agree with any.
  public func agrees(with other: Self) -> Bool {
    var (mine, others) = (self, other)
    mine.nats?.replicas = nats?.replicas ?? other.nats?.replicas
    mine.nats?.storage = nats?.storage ?? other.nats?.storage
    others.nats?.replicas = other.nats?.replicas ?? nats?.replicas
    others.nats?.storage = other.nats?.storage ?? nats?.storage
    return mine == others
  }

  public var keptCount: Int {
    switch kind {
    case .passthrough: 0
    case .current: 1
    case .replay(let count): count
    }
  }
}

extension SubjectSettings.Kind: CustomStringConvertible {
  /// The kind as SUBJECT spells it.
  public var description: String {
    switch self {
    case .passthrough: "passthrough"
    case .current(let value): "current \(String(decoding: value, as: UTF8.self))"
    case .replay(let count): "replay \(count)"
    }
  }
}

extension SubjectSettings: CustomStringConvertible {
  /// The options after the kind, as SUBJECT spells them.
  public var fields: RowFields {
    [
      "flow": flow.rawValue, "stall": stall.map(Quantity.text), "rate": rate.map { "\($0)/s" },
      "on": nats.map { _ in "nats" }, "room": nats?.room, "replicas": nats?.replicas,
      "storage": nats?.storage?.rawValue,
    ]
  }

  /// The settings as SUBJECT spells them, defaults included except those of the server.
  public var description: String { "\(kind) \(fields)" }
}

extension SubjectSettings {
  /// Reads the kind and the options of SUBJECT.
  init(_ arguments: inout ArgumentReader) throws(WireError) {
    self.init()
    switch try arguments.wordBeforeOptions() {
    case nil, "passthrough": break
    case "current": kind = .current(try arguments.value())
    case "replay":
      let word = try arguments.word("count")
      guard let count = UInt64(decimal: word.utf8), count > 0, let count = Int(exactly: count)
      else {
        throw arguments.unexpected("count", word, "a number from 1")
      }
      kind = .replay(count)
    case let word?:
      let hint = try Self.meant(by: word, &arguments).map { "; did you mean \($0)?" } ?? ""
      throw arguments.unexpected("kind", word, "passthrough, current or replay\(hint)")
    }
    var options = try arguments.options()
    try options.refuse(asWords: "current", "replay")
    flow = try options.choice("flow", Flow.self) ?? .free
    stall = try options.duration("stall")
    if flow == .slowest {
      rate = try options.rate("rate")
    } else {
      try options.refuse("rate", without: "flow=slowest")
    }
    nats = try Self.nats(&options, flow)
    try options.end()
  }

  /// Suggests a correction for a word that is no kind of subject, such as an option without `=`.
  private static func meant(
    by word: String,
    _ arguments: inout ArgumentReader
  ) throws(WireError) -> String? {
    if Flow(rawValue: word) != nil { return "flow=\(word)" }
    if SubjectPlace(rawValue: word) != nil { return "on=\(word)" }
    if UInt64(decimal: word.utf8) != nil { return quoted("replay \(word)") }
    let options = ["flow", "stall", "rate", "on", "room", "replicas", "storage"]
    guard options.contains(word) else { return nil }
    let value = try arguments.optionalWord() ?? "…"
    return value.utf8.contains(.equals) ? nil : quoted("\(word)=\(value)")
  }

  /// Reads `on=nats` and the options that only NATS subjects have.
  private static func nats(
    _ options: inout Options,
    _ flow: Flow
  ) throws(WireError) -> NATS? {
    guard try options.choice("on", SubjectPlace.self) != nil else {
      try options.refuse("room", "replicas", "storage", without: "on=nats")
      return nil
    }
    var nats = NATS()
    if flow == .slowest {
      nats.room = try options.number("room", in: 1...1_000_000_000)
    } else {
      try options.refuse("room", without: "flow=slowest")
    }
    nats.replicas = try options.number("replicas", in: 1...5)
    if let count = nats.replicas, count % 2 == 0 {
      throw options.verb.entry.usage("replicas is \"\(count)\", expected 1, 3 or 5")
    }
    nats.storage = try options.choice("storage", NATS.Storage.self)
    return nats
  }

  /// The values of `on=`.
  private enum SubjectPlace: String, CaseIterable { case nats }
}
