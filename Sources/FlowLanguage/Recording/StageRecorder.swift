package import FlowCore

/// Who is told what each stage of a running pipeline does, those below other stages included.
///
/// Only pipelines that are compiled to be recorded ask for it.
public struct StageRecorder {
  /// What keeps account of a stage, by its path: its index among the stages, and for a stage below
  /// another one the path of that, the number of its branch and the index there.
  package typealias Lanes = ([Int]) -> any StageLane

  private let lanes: Lanes
  private let path: [Int]

  /// Makes one that tells what `lanes` gives.
  package init(_ lanes: @escaping Lanes) { self.init(lanes, at: []) }

  private init(_ lanes: @escaping Lanes, at path: [Int]) {
    self.lanes = lanes
    self.path = path
  }

  /// What keeps account of the stage at `path`.
  func lane(at path: [Int]) -> any StageLane { lanes(self.path + path) }

  /// The recorder of what is inlined at `path`.
  func inlined(at path: [Int]) -> StageRecorder { StageRecorder(lanes, at: self.path + path) }
}

/// What one stage of a running pipeline does, over all its subscriptions.
///
/// It is touched where the pipeline runs.
package protocol StageLane: AnyObject {
  /// The subscriptions to the stage.
  var subscriptions: RecordedSubscriptions { get set }

  /// Whether a subscription may begin, or a value go on; if not, the pipeline is to stop.
  func step() -> Bool
  /// Hears of a value before it goes on.
  func sends(_ value: Value)
  /// Hears of values that the stage drops; `value` is the only one, if it is at hand.
  func drops(_ count: Int, _ reason: DropReason, _ value: Value?)
  /// Makes the publisher of a subject for a stage that is one.
  func reads(
    _ make: () -> AnyPublisher<Value, PipelineFailure>
  ) -> AnyPublisher<Value, PipelineFailure>
}

/// The subscriptions to one stage.
package struct RecordedSubscriptions {
  /// How many have begun.
  package private(set) var begun = 0
  /// How many of these finished by themselves.
  package private(set) var finished = 0
  private var open: [ObjectIdentifier: RecordedSubscription] = [:]

  /// None yet.
  package init() {}

  /// How many have begun and not ended.
  package var openCount: Int { open.count }

  /// Values inside, as far as is known; it takes a look at each subscription.
  package var held: Int { open.values.reduce(0) { $0 + $1.held } }

  /// Asked and not sent yet; `Int.max` is no limit.
  package var demand: Int { unlimited > 0 || asked < 0 ? .max : asked }

  /// What is asked of those with a limit, in all, and how many have none.
  private var asked = 0
  private var unlimited = 0

  /// Those that have not ended, which are forgotten.
  package mutating func takeOpen() -> [AnyObject] {
    defer { open = [:] }
    return Array(open.values)
  }

  /// What is asked of one has changed.
  mutating func demandChanged(from old: Int, to new: Int) {
    if old == .max { unlimited -= 1 } else { asked &-= old }
    if new == .max { unlimited += 1 } else { asked &+= new }
  }

  mutating func begins(_ subscription: RecordedSubscription) {
    begun += 1
    open[ObjectIdentifier(subscription)] = subscription
  }

  mutating func ends(_ subscription: RecordedSubscription, finished isFinished: Bool) {
    guard open.removeValue(forKey: ObjectIdentifier(subscription)) != nil else { return }
    demandChanged(from: subscription.demand, to: 0)
    if isFinished { finished += 1 }
  }
}
