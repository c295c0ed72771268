internal import FlowCore

/// What has become of the values that came to a stage: at each moment between signals
/// `taken + made = sent + dropped + held + consumed + left`.
public struct StageFigures: Equatable, Sendable {
  /// Values from the stage before, and from those publishers below it that it subscribes to at
  /// once; of a source those that it had.
  public var taken = 0
  /// Values that the stage has made, itself or by the publishers that it makes of values.
  public var made = 0
  /// Values that went on.
  public var sent = 0
  /// Values that were dropped, which those who are concerned were told.
  public var dropped = 0
  /// Values among these that a closure had no answer for.
  public var failed = 0
  /// Values inside.
  public var held = 0
  /// Values that have done their work: left out, or made into something else.
  public var consumed = 0
  /// Values that were inside when their subscription ended.
  public var left = 0
  /// Asked of the stage and not sent yet; `Int.max` is no limit.
  public var demand = 0
  /// Publishers made of values that are subscribed to, where a stage makes some.
  public var publishers: Int?

  /// Makes figures.
  public init(
    taken: Int = 0,
    made: Int = 0,
    sent: Int = 0,
    dropped: Int = 0,
    failed: Int = 0,
    held: Int = 0,
    consumed: Int = 0,
    left: Int = 0,
    demand: Int = 0,
    publishers: Int? = nil
  ) {
    self.taken = taken
    self.made = made
    self.sent = sent
    self.dropped = dropped
    self.failed = failed
    self.held = held
    self.consumed = consumed
    self.left = left
    self.demand = demand
    self.publishers = publishers
  }

  /// Adds up the figures of the same stage in two runs.
  static func += (sum: inout StageFigures, other: StageFigures) {
    sum.taken += other.taken
    sum.made += other.made
    sum.sent += other.sent
    sum.dropped += other.dropped
    sum.failed += other.failed
    sum.held += other.held
    sum.consumed += other.consumed
    sum.left += other.left
    sum.demand =
      sum.demand == .max || other.demand == .max ? .max : sum.demand &+ other.demand
    if let publishers = other.publishers { sum.publishers = (sum.publishers ?? 0) + publishers }
  }
}

extension Pipeline {
  /// The figures of each stage: of its present `runs`, and of those that have ended.
  ///
  /// What is before a `share` runs once for all.
  public func figures(of runs: [StageCounters]) -> [StageFigures] {
    var sums = stages.indices.map { index in
      sharedCounters(at: index).map { figures(of: index, in: $0) } ?? history[index]
    }
    let own = (shares.lazy.map(\.end).max() ?? 0)..<stages.count
    // Looked up once, and the runs one after the other: there may be thousands.
    let rules = stages.indices.map { rule(at: $0) }
    for run in runs {
      for index in own { sums[index] += run.figures(at: index, rules[index]) }
    }
    return sums
  }

  /// The figures of each stage in one run, but for those before a `share`.
  public func figures(ofRun run: StageCounters) -> [StageFigures] {
    stages.indices.map { figures(of: $0, in: run) }
  }

  /// The figures of a stage in one run, or in what runs once for all.
  public func figures(at index: Int, in run: StageCounters) -> StageFigures {
    figures(of: index, in: sharedCounters(at: index) ?? run)
  }

  func sharedCounters(at index: Int) -> StageCounters? {
    shares.first { index < $0.end }?.counters
  }

  func figures(of index: Int, in run: StageCounters) -> StageFigures {
    run.figures(at: index, rule(at: index))
  }

  private func rule(at index: Int) -> StageRule {
    let demand = stages[index].demand
    return StageRule(
      isSource: index == 0,
      isAfterShare: shares.contains { $0.end == index },
      holds: demand.holds != .nothing,
      makesValues: demand.makesValues,
      thinsOut: demand.thinsOut
    )
  }
}

/// What the figures of a stage are made by, of what its operator does.
struct StageRule {
  let isSource: Bool
  /// Whether all that is above it runs once for all.
  let isAfterShare: Bool
  let holds: Bool
  let makesValues: Bool
  let thinsOut: Bool

  /// Tells what was left out or made from what came and went.
  func balance(_ figures: inout StageFigures, left: Int, gathered: Int, lost: Int) {
    let rest = figures.taken - figures.sent - figures.dropped - figures.held
    if makesValues {
      figures.made = figures.sent + figures.dropped + figures.held + left
      figures.held += gathered
      figures.left = left + lost
      figures.consumed = figures.taken - gathered - lost
    } else if thinsOut {
      figures.held += gathered
      figures.left = lost
      figures.consumed = rest - gathered - lost
    } else if !holds {
      figures.consumed = max(0, rest)
      figures.made = max(0, -rest)
    } else {
      figures.left = rest
    }
  }
}
