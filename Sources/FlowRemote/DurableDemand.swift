package import FlowCore

/// Computes the requests of a durable subscription, each of which acknowledges values.
///
/// A request of N acknowledges the N oldest values that were sent. So while values are under way no
/// more is asked for than were taken; what is under way or not acknowledged never exceeds the window.
package struct DurableDemand: Equatable, Sendable {
  package let window: Int
  /// Values asked for that have not come.
  private var underWay: Int = 0
  /// Values taken of which the server has not been told.
  private var unacknowledged: Int = 0

  package init(window: Int) { self.window = window }

  /// The stream is opened anew, and what was not acknowledged comes again.
  ///
  /// - Returns: what of `wanted` to ask for at first.
  package mutating func open(_ wanted: Subscribers.Demand) -> Subscribers.Demand {
    unacknowledged = 0
    underWay = min(wanted.max ?? .max, window)
    return .max(underWay)
  }

  package mutating func take() {
    underWay -= min(1, underWay)
    unacknowledged += 1
  }

  /// Returns how much of `wanted` to request now, perhaps `.none`.
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

/// The name of a durable subscription, and how many of its values may be with a client.
struct Durable: Equatable, Sendable {
  let name: String
  let window: Int

  init(name: String, window: Int) {
    precondition(1...16_384 ~= window, "window is \(window), expected 1 to 16384")
    self.name = name
    self.window = window
  }
}
