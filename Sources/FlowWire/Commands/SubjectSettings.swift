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

  /// Makes settings; without any, a subject is what Combine's `PassthroughSubject` is.
  public init(kind: Kind = .passthrough, flow: Flow = .free, stall: Int64? = nil) {
    self.kind = kind
    self.flow = flow
    self.stall = stall
  }
}

extension SubjectSettings: CustomStringConvertible {
  /// The settings as they stand in SUBJECT; what was left out is spelled out but for the stall.
  public var description: String {
    let kind =
      switch kind {
      case .passthrough: "passthrough"
      case .current(let value): "current \(String(decoding: value, as: UTF8.self))"
      case .replay(let count): "replay \(count)"
      }
    let stall = stall.map { " stall=\(Quantity.text($0))" } ?? ""
    return "\(kind) flow=\(flow.rawValue)\(stall)"
  }
}
