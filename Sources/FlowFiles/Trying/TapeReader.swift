internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects

/// Who reads a subject for one stage of a pipeline that is tried: the row, but that its drops are
/// those of the stage.
final class TapeReader: SubjectReader {
  private let row: MarbleRecorder
  private let lane: TapeLane

  init(_ row: MarbleRecorder, for lane: TapeLane) {
    self.row = row
    self.lane = lane
  }

  var label: String { row.label }
  var run: String? { nil }
  var isUnread: Bool { false }
  var holds: Bool { true }
  var batchRoom: Int { row.batchRoom }
  var mayConverge: Bool { row.mayConverge }
  var clock: VirtualTimeScheduler { row.clock }
  var innerPublisherLimit: Int { row.innerPublisherLimit }
  var timeSlice: TimeSlice { row.timeSlice }
  var work: Work { row.work }
  var memoryBudget: MemoryBudget { row.memoryBudget }
  var counters: StageCounters? { row.counters }

  func subject(_ name: String, counters: StageCounters?) -> AnyPublisher<Value, PipelineFailure> {
    row.subject(name, counters: counters)
  }

  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable {
    row.subjects(in: set, new: new, join)
  }

  func ask(_ name: String, _ argument: Value) -> AnyPublisher<Value, PipelineFailure> {
    row.ask(name, argument)
  }

  func dropped(_ count: Int, _ reason: DropReason) {
    lane.drops(count, reason, nil)
    row.dropped(count, reason)
  }

  func leftOut(_ leftOut: LeftOut) { row.leftOut(leftOut) }

  func log(_ line: String) {}
}
