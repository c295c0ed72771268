package import FlowCore

/// Computes the requests of a durable subscription.
///
/// A request of N acknowledges the N oldest values sent. So while values are in transit, no more
/// are requested than were taken, and values in transit or unacknowledged never exceed the window.
package struct DurableDemand: Equatable, Sendable {
  package let window: Int
  /// Requested values that have not arrived.
  private var underWay: Int = 0
  /// Values taken but not acknowledged.
  private var unacknowledged: Int = 0

  package init(window: Int) { self.window = window }

  /// Resets the counts for a reopened stream, on which unacknowledged values come again; returns
  /// how much of `wanted` to request first.
  package mutating func open(_ wanted: Subscribers.Demand) -> Subscribers.Demand {
    unacknowledged = 0
    underWay = min(wanted.max ?? .max, window)
    return .max(underWay)
  }

  package mutating func take() {
    underWay -= min(1, underWay)
    unacknowledged += 1
  }

  /// Returns how much of `wanted` to request now.
  package mutating func more(_ wanted: Subscribers.Demand) -> Subscribers.Demand {
    let most = underWay == 0 ? window : unacknowledged
    return ask(min(wanted.max ?? .max, most))
  }

  /// Returns the request that acknowledges all values taken.
  package mutating func acknowledge() -> Subscribers.Demand { ask(unacknowledged) }

  private mutating func ask(_ count: Int) -> Subscribers.Demand {
    underWay += count
    unacknowledged -= min(count, unacknowledged)
    return .max(count)
  }
}

/// The name of a durable subscription, and its window.
struct Durable: Equatable, Sendable {
  let name: String
  let window: Int

  init(name: String, window: Int) {
    precondition(1...16_384 ~= window, "window is \(window), expected 1 to 16384")
    self.name = name
    self.window = window
  }
}
