internal import FlowCore

/// Where the stages of a chain stand in a pipeline that is recorded: they are the pipeline's own, or
/// those of a branch of another stage.
final class StageChain {
  private var owner: (chain: StageChain, stage: Int, branch: Int)?

  /// The path of the stage that it is a branch of, and which one.
  private var path: [Int] { owner.map { $0.chain.path(of: $0.stage) + [$0.branch] } ?? [] }

  /// The path of one of its stages.
  func path(of stage: Int) -> [Int] { path + [stage] }

  /// Notes which branch it is; what is a branch of itself has no place.
  func becomes(branch: Int, ofStage stage: Int, in chain: StageChain) {
    var next: StageChain? = chain
    while let ancestor = next {
      guard ancestor !== self else { return }
      next = ancestor.owner?.chain
    }
    owner = (chain, stage, branch)
  }

  /// The recorder of a pipeline that is inlined as the beginning of this chain.
  func inlining(_ recorder: StageRecorder) -> StageRecorder { recorder.inlined(at: path) }
}

extension Compiler {
  /// The source, recorded as the stage with this index of a chain where its context records.
  static func recorded(
    _ source: @escaping PublisherFactory,
    in chain: StageChain,
    at index: Int,
    isPlainSource: Bool
  ) -> PublisherFactory {
    { (locals, context) throws(EvaluationError) in
      guard let lane = context.recorder?.lane(at: chain.path(of: index)) else {
        return try source(&locals, context)
      }
      // What a source drops it tells its context only.
      let context = isPlainSource ? RecordingContext(context, lane: lane) : context
      return Recorded(upstream: try source(&locals, context), lane: lane).eraseToAnyPublisher()
    }
  }

  /// What is inlined as the beginning of a chain, whose stages are recorded there.
  static func inlined(
    _ source: @escaping PublisherFactory,
    in chain: StageChain
  ) -> PublisherFactory {
    { (locals, context) throws(EvaluationError) in
      guard let recorder = context.recorder else { return try source(&locals, context) }
      return try source(&locals, RecordingContext(context, recorder: chain.inlining(recorder)))
    }
  }
}

/// A context that is recorded elsewhere, or whose drops are those of a source.
private final class RecordingContext: PipelineContext {
  private let base: any PipelineContext
  private let lane: (any StageLane)?
  let recorder: StageRecorder?

  init(_ base: any PipelineContext, lane: any StageLane) {
    self.base = base
    self.lane = lane
    recorder = base.recorder
  }

  init(_ base: any PipelineContext, recorder: StageRecorder) {
    self.base = base
    lane = nil
    self.recorder = recorder
  }

  var clock: VirtualTimeScheduler { base.clock }
  var timeSlice: TimeSlice { base.timeSlice }
  var work: Work { base.work }
  var memoryBudget: MemoryBudget { base.memoryBudget }
  var counters: StageCounters? { base.counters }
  var innerPublisherLimit: Int { base.innerPublisherLimit }

  func subject(_ name: String, counters: StageCounters?) -> Stream {
    guard let lane else { return base.subject(name, counters: counters) }
    return lane.reads { base.subject(name, counters: counters) }
  }

  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable {
    base.subjects(in: set, new: new, join)
  }

  func ask(_ name: String, _ argument: Value) -> Stream { base.ask(name, argument) }

  func dropped(_ count: Int, _ reason: DropReason) {
    lane?.drops(count, reason, nil)
    base.dropped(count, reason)
  }

  func leftOut(_ leftOut: LeftOut) { base.leftOut(leftOut) }

  func visible(_ failure: PipelineFailure) -> PipelineFailure { base.visible(failure) }

  func log(_ line: String) { base.log(line) }
}
