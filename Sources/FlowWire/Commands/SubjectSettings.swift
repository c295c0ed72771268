/// What a subject keeps for later subscribers, and whom it waits for.
public struct SubjectSettings: Hashable, Sendable {
  /// What a subject keeps for later subscribers.
  public enum Kind: Hashable, Sendable {
    /// Nothing.
    case passthrough
    /// The newest value, at first this one.
    case current([UInt8])
    /// So many of the newest values.
    case replay(Int)
  }

  /// Whom a subject waits for.
  public enum Flow: String, Sendable, CaseIterable {
    /// Nobody: a subscriber without demand misses the value and is told.
    case free
    /// The slowest subscriber: nothing is missed.
    case slowest
  }

  /// What it keeps.
  public var kind: Kind
  /// Whom it waits for.
  public var flow: Flow
  /// How long one subscriber may hold up the others, in nanoseconds; `nil` is the server's setting.
  public var stall: Int64?
  /// How NATS JetStream holds its values; `nil` is a subject of one server.
  public var nats: NATS?

  /// How NATS JetStream holds the values of a subject.
  public struct NATS: Hashable, Sendable {
    /// Where it stores them.
    public enum Storage: String, Sendable, CaseIterable {
      /// In files.
      case file
      /// In memory: they are gone when all its servers have stopped.
      case memory
    }

    /// How many values may wait for the slowest subscriber on a `flow=slowest` subject; `nil` is
    /// 4,096.
    public var room: Int?
    /// How many of its servers hold them: 1, 3 or 5; `nil` is 3 in a cluster, otherwise 1.
    public var replicas: Int?
    /// Where it stores them; `nil` is in files.
    public var storage: Storage?

    /// Makes settings.
    public init(room: Int? = nil, replicas: Int? = nil, storage: Storage? = nil) {
      self.room = room
      self.replicas = replicas
      self.storage = storage
    }
  }

  /// Makes settings; without any, a subject is what Combine's `PassthroughSubject` is.
  public init(
    kind: Kind = .passthrough,
    flow: Flow = .free,
    stall: Int64? = nil,
    nats: NATS? = nil
  ) {
    self.kind = kind
    self.flow = flow
    self.stall = stall
    self.nats = nats
  }

  /// Whether both may be said of one subject: in NATS, what is left out is as it is there.
  public func agrees(with other: Self) -> Bool {
    var (mine, others) = (self, other)
    mine.nats?.replicas = nats?.replicas ?? other.nats?.replicas
    mine.nats?.storage = nats?.storage ?? other.nats?.storage
    others.nats?.replicas = other.nats?.replicas ?? nats?.replicas
    others.nats?.storage = other.nats?.storage ?? nats?.storage
    return mine == others
  }

  /// How many of the newest values are kept for later subscribers.
  public var keptCount: Int {
    switch kind {
    case .passthrough: 0
    case .current: 1
    case .replay(let count): count
    }
  }
}

extension SubjectSettings.Kind: CustomStringConvertible {
  /// The kind as it stands in SUBJECT.
  public var description: String {
    switch self {
    case .passthrough: "passthrough"
    case .current(let value): "current \(String(decoding: value, as: UTF8.self))"
    case .replay(let count): "replay \(count)"
    }
  }
}

extension SubjectSettings: CustomStringConvertible {
  /// The options behind the kind, as they stand in SUBJECT.
  public var fields: RowFields {
    [
      "flow": flow.rawValue, "stall": stall.map(Quantity.text), "on": nats.map { _ in "nats" },
      "room": nats?.room, "replicas": nats?.replicas, "storage": nats?.storage?.rawValue,
    ]
  }

  /// The settings as they stand in SUBJECT; what was left out is spelled out but for the stall.
  public var description: String { "\(kind) \(fields)" }
}
