internal import FlowCore

/// What has passed between one stage of a running pipeline and the next.
///
/// It is touched where the pipeline runs.
final class StageCounter {
  /// Values that the stage has sent.
  @exclusivity(unchecked) private(set) var sent = 0
  /// Asked of the stage and not sent yet; `Int.max` is no limit.
  @exclusivity(unchecked) private(set) var demand = 0
  /// Values that the stage has dropped.
  var dropped = 0
  /// The stage's subscription, if it may hold values, until it ends.
  var holder: (any _ValueHolder)?
  /// What has come from the publishers below the stage that it subscribes to at once.
  private(set) var below: StageCounter?

  /// Counts values, before they are handed on.
  @inline(__always)
  func send(_ count: Int = 1) {
    sent &+= count
    if demand != .max { demand &-= count }
  }

  /// Adds to the demand.
  @inline(__always)
  func ask(_ more: Subscribers.Demand) {
    guard more > .none else { return }
    let (sum, overflow) = demand.addingReportingOverflow(more.max ?? .max)
    demand = overflow ? .max : sum
  }

  /// The counter of what comes from below, from now on.
  func countBelow() -> StageCounter {
    let counter = below ?? StageCounter()
    below = counter
    return counter
  }

  /// Nothing more comes of what was asked for.
  func end() {
    demand = 0
    holder = nil
  }
}

/// The counters of one run of a pipeline, one for each stage.
public final class StageCounters {
  private let counters: [StageCounter]

  /// Makes counters for so many stages, those of inlined pipelines included.
  public init(count: Int) { counters = (0..<count).map { _ in StageCounter() } }

  subscript(stage: Int) -> StageCounter { counters[stage] }

  /// Counts values that the source had and that were not asked for in time.
  public func missed(_ count: Int) { counters.first?.dropped += count }
}
