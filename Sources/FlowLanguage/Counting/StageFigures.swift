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
    self.held = held
    self.consumed = consumed
    self.left = left
    self.demand = demand
    self.publishers = publishers
  }

  /// Adds up the figures of the same stage in two runs.
  static func + (a: StageFigures, b: StageFigures) -> StageFigures {
    var sum = a
    sum.taken += b.taken
    sum.made += b.made
    sum.sent += b.sent
    sum.dropped += b.dropped
    sum.held += b.held
    sum.consumed += b.consumed
    sum.left += b.left
    sum.demand = a.demand == .max || b.demand == .max ? .max : a.demand &+ b.demand
    if let publishers = b.publishers { sum.publishers = (a.publishers ?? 0) + publishers }
    return sum
  }
}

extension Pipeline {
  /// The figures of each stage: of its present `runs`, and of those that have ended.
  ///
  /// What is before a `share` runs once for all.
  public func figures(of runs: [StageCounters]) -> [StageFigures] {
    stages.indices.map { index in
      if let shared = sharedCounters(at: index) { return figures(of: index, in: shared) }
      return runs.reduce(history[index]) { sum, run in
        sum + figures(of: index, in: run)
      }
    }
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
    let demand = stages[index].demand
    let counter = run[index]
    var figures = StageFigures()
    figures.sent = counter.sent
    figures.dropped = counter.dropped
    figures.demand = counter.demand
    if demand.holds != .nothing, let holder = counter.holder {
      figures.held = holder.heldCount
      if demand.makesValues { figures.publishers = holder.publisherCount }
    }
    if index == 0 {
      // Only a source that joins subjects holds values, and has others below it.
      figures.dropped += counter.below?.dropped ?? 0
      figures.left = demand.holds == .nothing ? 0 : counter.left
      figures.taken = figures.sent + figures.dropped + figures.held + figures.left
    } else if shares.contains(where: { $0.end == index }) {
      // What others have sent before this subscription began is not for it.
      figures.taken = counter.sent + counter.dropped
    } else {
      figures.taken = run[index - 1].sent + (counter.below?.sent ?? 0)
      balance(&figures, demand, counter)
    }
    return figures
  }

  /// Tells what was left out or made from what came and went.
  private func balance(
    _ figures: inout StageFigures,
    _ demand: StageDemand,
    _ counter: StageCounter
  ) {
    let rest = figures.taken - figures.sent - figures.dropped - figures.held
    if demand.makesValues {
      figures.made = figures.sent + figures.dropped + figures.held + counter.left
      figures.held += counter.gathered
      figures.left = counter.left + counter.lost
      figures.consumed = figures.taken - counter.gathered - counter.lost
    } else if demand.thinsOut {
      figures.held += counter.gathered
      figures.left = counter.lost
      figures.consumed = rest - counter.gathered - counter.lost
    } else if demand.holds == .nothing {
      figures.consumed = max(0, rest)
      figures.made = max(0, -rest)
    } else {
      figures.left = rest
    }
  }
}
