import FlowCore

/// The one value of all that a stage publishes when its upstream has finished: `last`, `min`, `max`.
///
/// Only what is chosen is copied.
final class ChosenValue {
  // memory 6
  @safe @exclusivity(unchecked) private var value: Value?
  /// The value as others are compared with it.
  @safe @exclusivity(unchecked) private var looked: Value?
  @safe @exclusivity(unchecked) private var comparisons = 0
  private let held: HeldValues

  init(_ held: HeldValues) { self.held = held }

  /// Publishes the last value of `upstream` of which `isChosen` says so.
  func publisher(
    of upstream: Stream,
    _ work: Work,
    leave: @escaping (LeftOut) -> Void,
    isChosen: @escaping (Incoming, Work?) throws(PipelineFailure) -> Bool
  ) -> Stream {
    Stage(upstream: upstream, makesAll: true, work: work, leave: leave, result: take) {
      // Whoever subscribes anew holds nothing of what was before.
      self.held.clear()
      self.set(nil)
      return { (input, work) throws(PipelineFailure) in
        if try isChosen(input, work) {
          let value = input.value
          try self.held.replace(with: value)
          self.set(value)
        }
        return .takeIn
      }
    }
    // Asks for everything, and lets the result wait until it is asked for.
    .last().map { self.held.letGo(of: $0) }.eraseToAnyPublisher()
  }

  /// The value, which is kept no longer.
  private func take() -> Value? {
    defer { set(nil) }
    return value
  }

  private func set(_ value: Value?) {
    self.value = value
    looked = value
    comparisons = 0
  }

  /// The value, to be compared with another: an object with the places of its members, once it has
  /// stayed the chosen one.
  func valueToCompare(_ work: Work?) throws(PipelineFailure) -> Value? {
    comparisons &+= 1
    if comparisons == 2, case .raw(let raw)? = value {
      work?.charge(Price.decoding(raw.bytes.count))
      let decoded = raw.value
      if case .object = decoded {
        try held.hold(decoded.footprint)
        looked = decoded
      }
    }
    return looked
  }
}
