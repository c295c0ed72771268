import Testing

/// A state that was brought to a start, and what is around it.
protocol StatePlay {
  associatedtype Start: CaseIterable, Hashable, Sendable
  associatedtype Event: Sendable
  associatedtype Step

  /// What a table shows of the state before the steps, such as its phase.
  var shown: [String] { get }

  init(_ start: Start)
  mutating func happen(_ event: Event) -> [Step]
  func name(_ step: Step) -> String
}

extension StatePlay {
  func name(_ step: Step) -> String { caseName(step) }

  func describe(_ steps: [Step]) -> String {
    (shown + steps.map(name)).joined(separator: " ")
  }
}

/// The name of an enum's case, without the payload.
func caseName(_ value: Any) -> String { String(String(describing: value).prefix { $0 != "(" }) }

/// The transitions from each start when an event happens.
struct StateRow<Play: StatePlay>: Sendable {
  let event: Play.Event
  /// The state and the steps; without an entry for a start, the state stays and there are no steps.
  let expected: [Play.Start: String]

  init(_ event: Play.Event, _ expected: [Play.Start: String] = [:]) {
    self.event = event
    self.expected = expected
  }

  init(_ event: Play.Event, everywhere expected: String) {
    self.init(event, .init(uniqueKeysWithValues: Play.Start.allCases.map { ($0, expected) }))
  }

  /// Checks every start, in which `earlier` has happened before.
  func check(after earlier: Play.Event...) {
    for start in Play.Start.allCases {
      var play = Play(start)
      for event in earlier { _ = play.happen(event) }
      let unchanged = play.describe([])
      let steps = play.happen(event)
      #expect(play.describe(steps) == expected[start] ?? unchanged, "\(event) in \(start)")
    }
  }
}
