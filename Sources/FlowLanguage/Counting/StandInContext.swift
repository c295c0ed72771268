internal import FlowCore

/// A context in everything but its counters, and maybe in what it does with values that are left out.
///
/// Publishers below a stage are not stages of the pipeline and have none; what runs once for all
/// subscribers has its own.
final class StandInContext: PipelineContext {
  private let base: any PipelineContext
  let counters: StageCounters?
  let memoryBudget: MemoryBudget
  /// Told of values that are left out, in place of `base`.
  var leave: ((LeftOut) -> Void)?

  init(
    _ base: any PipelineContext,
    counters: StageCounters?,
    memoryBudget: MemoryBudget? = nil,
    leave: ((LeftOut) -> Void)? = nil
  ) {
    self.base = base
    self.counters = counters
    self.memoryBudget = memoryBudget ?? base.memoryBudget
    self.leave = leave
  }

  var clock: VirtualTimeScheduler { base.clock }

  var timeSlice: TimeSlice { base.timeSlice }

  var work: Work { base.work }

  var innerPublisherLimit: Int { base.innerPublisherLimit }

  var recorder: StageRecorder? { base.recorder }

  func subject(_ name: String, counters: StageCounters?) -> AnyPublisher<Value, PipelineFailure> {
    base.subject(name, counters: counters)
  }

  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable {
    base.subjects(in: set, new: new, join)
  }

  func ask(_ name: String, _ argument: Value) -> AnyPublisher<Value, PipelineFailure> {
    base.ask(name, argument)
  }

  func dropped(_ count: Int, _ reason: DropReason) { base.dropped(count, reason) }

  func leftOut(_ leftOut: LeftOut) {
    if let leave { leave(leftOut) } else { base.leftOut(leftOut) }
  }

  func visible(_ failure: PipelineFailure) -> PipelineFailure { base.visible(failure) }

  func log(_ line: String) { base.log(line) }
}

extension PipelineContext {
  /// The context for publishers below what is no stage by itself.
  var below: any PipelineContext {
    counters == nil ? self : StandInContext(self, counters: nil)
  }
}
