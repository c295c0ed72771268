/// The values that passed one name, and when: a line of `marble`.
struct Lane {
  enum Happening: Equatable {
    /// A value, as it is shown.
    case value(String)
    /// Values that passed and were not received.
    case leftOut(UInt64)
    case finished
    case failed(String)
  }

  struct Event {
    /// Nanoseconds on the clock that never goes back.
    let time: UInt64
    let what: Happening
  }

  let label: String
  private(set) var events: [Event] = []
  private(set) var values: UInt64 = 0
  private(set) var leftOut: UInt64 = 0
  /// The end, once it came.
  private(set) var end: Event?

  init(_ label: String) { self.label = label }

  /// The most events that are drawn.
  private static let mostEvents = 4096

  mutating func add(_ what: Happening, at time: UInt64) {
    let event = Event(time: time, what: what)
    switch what {
    case .value: values += 1
    case .leftOut(let count): leftOut += count
    case .finished, .failed: end = event
    }
    events.append(event)
    if events.count > 2 * Self.mostEvents { events.removeFirst(Self.mostEvents) }
  }
}
