internal import FlowCore

/// What a stage does between two turns, as far as demand and what is inside tell.
public enum StageState: Int, CaseIterable, Sendable {
  /// More is asked of it than comes.
  case starved
  /// It holds values, or publishers made of values are at work, and it is asked for more.
  case working
  /// Nothing is asked of it.
  case blocked
}

/// A stage as it was found when somebody looked.
public struct StageLook: Sendable {
  /// What it does.
  public let state: StageState
  /// Values inside.
  public let held: Int
}

extension Pipeline {
  /// Looks at each stage of a run, from the source on: two loads for most, so that it may be done often.
  ///
  /// To be called where the pipeline runs, between signals.
  public func look(at run: StageCounters, _ see: (Int, StageLook) -> Void) {
    for index in stages.indices { see(index, look(at: index, in: run)) }
  }

  private func look(at index: Int, in run: StageCounters) -> StageLook {
    let counter = (sharedCounters(at: index) ?? run)[index]
    var held = 0
    var publishers = 0
    let demand = stages[index].demand
    if demand.thinsOut { held = counter.gathered }
    if demand.holds != .nothing, let holder = counter.holder {
      held = holder.heldCount + (demand.makesValues ? counter.gathered : 0)
      if demand.makesValues { publishers = holder.publisherCount ?? 0 }
    }
    if counter.demand <= 0 { return StageLook(state: .blocked, held: held) }
    return StageLook(state: held > 0 || publishers > 0 ? .working : .starved, held: held)
  }
}

extension StageDescription {
  /// How many publishers made of values it may have at work; `nil` without limit, and where it makes
  /// none.
  public var publishersAtOnce: Int? { opensMany ? demand.holds.limit : nil }

  /// Whether it publishes ticks, and drops those that its clock is too late for.
  public var isTimer: Bool { name == "Timer" }

  /// The service that it asks for a value, if it is an `ask`.
  public var service: String? {
    guard name == "ask", let start = text.firstIndex(of: "(") else { return nil }
    return String(text[text.index(after: start)...].prefix { $0 != "," }.drop { $0 == " " })
  }

  /// The services that this stage and all stages in its branches ask.
  public var services: [String] {
    [service].compactMap(\.self) + branches.flatMap { $0.flatMap(\.services) }
  }
}
