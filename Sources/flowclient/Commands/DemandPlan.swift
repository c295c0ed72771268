import FlowCore
import FlowRemote

/// Computes how much to request, and when.
struct DemandPlan {
  enum Window: Equatable {
    /// That many values ahead of what is printed, refilled at half.
    case upTo(UInt64)
    /// At least that many values, and more if the server is far away; refilled at three quarters,
    /// so that a request is under way before the half that is under way has arrived.
    case atLeast(UInt64)
    case unlimited
    /// As many as `add` says.
    case byHand
  }

  private let window: Window
  private var ahead: DemandWindow
  /// The number of values wanted in all.
  private var limit: Subscribers.Demand
  private(set) var asked = Subscribers.Demand.none
  private(set) var received = 0

  init(window: Window, limit: UInt64?) {
    self.window = window
    self.limit = Self.demand(limit)
    if case .atLeast(let least) = window {
      ahead = DemandWindow(least: Int(clamping: least))
    } else {
      ahead = DemandWindow(least: 0)
    }
  }

  var isByHand: Bool { window == .byHand }

  /// Whether all that was wanted has come.
  var isComplete: Bool { limit <= received }

  /// Values asked for that have not come.
  var outstanding: Subscribers.Demand { asked - min(received, asked.max ?? .max) }

  /// The demand to request now, perhaps `.none`.
  mutating func next() -> Subscribers.Demand {
    switch window {
    case .byHand: return .none
    case .unlimited:
      return asked == .none ? request(for: limit) : .none
    case .upTo(let window):
      guard outstanding <= Int(clamping: window / 2) else { return .none }
      return request(for: min(Self.demand(window) - outstanding, limit - asked))
    case .atLeast:
      guard outstanding <= ahead.size - ahead.size / 4 else { return .none }
      return request(for: min(.max(ahead.size) - outstanding, limit - asked))
    }
  }

  /// Fits what is asked for ahead to what was received; times in nanoseconds.
  mutating func adapt(at now: UInt64, roundTrip: UInt64?) {
    ahead.adapt(at: now, roundTrip: roundTrip)
  }

  /// Adds what a person asks for; `nil` is no limit.
  mutating func add(_ count: UInt64?) -> Subscribers.Demand { request(for: Self.demand(count)) }

  private mutating func request(for more: Subscribers.Demand) -> Subscribers.Demand {
    asked += more
    return more
  }

  /// Wants no more than has been asked for.
  mutating func endAtAsked() { limit = asked }

  mutating func receive(_ count: Int = 1, bytes: Int = 0) {
    received += count
    ahead.take(count, bytes: bytes)
  }

  private static func demand(_ count: UInt64?) -> Subscribers.Demand {
    count.flatMap(Int.init(exactly:)).map { .max($0) } ?? .unlimited
  }
}
