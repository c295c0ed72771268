import FlowCore

/// How much to ask for, and when: a pure count.
struct DemandPlan {
  enum Window: Equatable {
    /// So many ahead of what is printed, refilled at half.
    case upTo(UInt64)
    case unlimited
    /// Whatever `add` says.
    case byHand
  }

  private let window: Window
  /// How many values are wanted in all.
  private var limit: Subscribers.Demand
  private(set) var asked = Subscribers.Demand.none
  private(set) var received = 0

  init(window: Window, limit: UInt64?) {
    self.window = window
    self.limit = Self.demand(limit)
  }

  /// Whether all that was wanted has come.
  var isComplete: Bool { limit <= received }

  /// Values asked for that have not come.
  var outstanding: Subscribers.Demand { asked - min(received, asked.max ?? .max) }

  /// What to ask for now; `.none` is nothing.
  mutating func next() -> Subscribers.Demand {
    switch window {
    case .byHand: return .none
    case .unlimited:
      return asked == .none ? ask(for: limit) : .none
    case .upTo(let window):
      guard outstanding <= Int(clamping: window / 2) else { return .none }
      return ask(for: min(Self.demand(window) - outstanding, limit - asked))
    }
  }

  /// Adds what a person asks for; `nil` is no limit.
  mutating func add(_ count: UInt64?) -> Subscribers.Demand { ask(for: Self.demand(count)) }

  private mutating func ask(for more: Subscribers.Demand) -> Subscribers.Demand {
    asked += more
    return more
  }

  /// Wants no more than has been asked for.
  mutating func endAtAsked() { limit = asked }

  mutating func receive(_ count: Int = 1) { received += count }

  private static func demand(_ count: UInt64?) -> Subscribers.Demand {
    count.flatMap(Int.init(exactly:)).map { .max($0) } ?? .unlimited
  }
}
