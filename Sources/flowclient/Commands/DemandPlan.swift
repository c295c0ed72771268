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
  private var limit: UInt64?
  private(set) var asked: UInt64 = 0
  private(set) var received: UInt64 = 0

  init(window: Window, limit: UInt64?) {
    self.window = window
    self.limit = limit
  }

  /// Whether all that was wanted has come.
  var isComplete: Bool { limit.map { received >= $0 } ?? false }

  /// Values asked for that have not come.
  var outstanding: UInt64 { asked - min(received, asked) }

  /// What to ask for now; `.none` is nothing.
  mutating func next() -> Subscribers.Demand {
    switch window {
    case .byHand: return .none
    case .unlimited:
      guard asked == 0 else { return .none }
      asked = limit ?? .max
      return limit.map(Self.demand) ?? .unlimited
    case .upTo(let window):
      guard outstanding <= window / 2 else { return .none }
      let room = min(window - outstanding, limit.map { $0 - asked } ?? .max)
      asked += room
      return Self.demand(room)
    }
  }

  /// Adds what a person asks for; `nil` is no limit.
  mutating func add(_ count: UInt64?) -> Subscribers.Demand {
    guard let count else {
      asked = .max
      return .unlimited
    }
    asked = asked.addingReportingOverflow(count).overflow ? .max : asked + count
    return Self.demand(count)
  }

  /// Wants no more than has been asked for.
  mutating func endAtAsked() { limit = asked }

  mutating func receive(_ count: UInt64 = 1) { received += count }

  private static func demand(_ count: UInt64) -> Subscribers.Demand {
    count >= UInt64(Int.max) ? .unlimited : .max(Int(count))
  }
}
