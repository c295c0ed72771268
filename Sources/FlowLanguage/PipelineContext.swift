public import FlowCore

/// Why a value was dropped.
public enum DropReason: String, CaseIterable, Sendable {
  case noDemand = "no-demand"
  case bufferOldest = "buffer-oldest"
  case bufferNewest = "buffer-newest"
  case replaced
  /// It came while the publisher made of the one before was at work.
  case busy
  /// No value of the other side with the same key came in time.
  case unmatched
  /// It was no longer kept when the server came back to where the subject's values are.
  case gap
  /// A closure has no answer for it.
  case failed
  /// It was inside when the pipeline failed, or could go no further.
  case inside
}

/// What a running pipeline needs from its host.
public protocol PipelineContext: AnyObject {
  /// The subject called `name`; `counters` are told what it sends, what is asked of it, and what it
  /// misses.
  func subject(_ name: String, counters: StageCounters?) -> AnyPublisher<Value, PipelineFailure>
  /// Calls `join` with the name of each subject of `set`: of those there are, unless only `new` ones are
  /// wanted, and of each that is made until the result is cancelled.
  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable
  /// What a worker of the service called `name` answers to `argument`: each subscription is a call.
  func ask(_ name: String, _ argument: Value) -> AnyPublisher<Value, PipelineFailure>
  /// What delays and timers run on.
  var clock: VirtualTimeScheduler { get }
  /// How many publishers one `flatMap` may hold at a time.
  var innerPublisherLimit: Int { get }
  /// How long sources may go on in a turn of the loop.
  var timeSlice: TimeSlice { get }
  /// What this running pipeline does; one for all of it.
  var work: Work { get }
  /// What this running pipeline holds, and may hold.
  var memoryBudget: MemoryBudget { get }
  /// A failure as closures may see it, who may show what they see: without its text where that may
  /// show values to somebody who may not read them.
  func visible(_ failure: PipelineFailure) -> PipelineFailure
  /// Tells that `count` values were dropped.
  func dropped(_ count: Int, _ reason: DropReason)
  /// Tells that a value was dropped since a closure has no answer for it.
  func leftOut(_ leftOut: LeftOut)
  /// What counts the stages, if anything does.
  var counters: StageCounters? { get }
  /// Who is told what each stage does, if anybody is; only a pipeline that is compiled to be recorded
  /// asks.
  var recorder: StageRecorder? { get }
  /// Writes a line of `print("label")`.
  func log(_ line: String)
}

extension PipelineContext {
  public var counters: StageCounters? { nil }

  public var recorder: StageRecorder? { nil }

  public func visible(_ failure: PipelineFailure) -> PipelineFailure { failure }

  public func leftOut(_ leftOut: LeftOut) { dropped(1, .failed) }
}

/// What a name in a pipeline's text stands for.
public enum NamedSource {
  case subject
  /// A pattern: all subjects that fit, those that come later included.
  case subjects(SubjectSet)
  /// The names of the subjects that fit a pattern, as they are made.
  case newSubjects(SubjectSet)
  /// Inlined where its name is written.
  case pipeline(Pipeline)
  /// A pipeline for someone who may not read all that it reads: `$name` is refused behind it.
  case opaque(Pipeline)
  /// None: a run's values go to the subject called `target`.
  case run(target: String)
  /// Something or nothing: whoever asks is not to know.
  case hidden
}

extension NamedSource {
  /// What a pattern, or `$new/` and a pattern or name, stands for; `nil` if `text` is neither.
  ///
  /// Whoever wrote it may read the names of which `mayRead` is true; all if there is none.
  public static func pattern(_ text: String, where mayRead: ((String) -> Bool)? = nil) -> Self? {
    let new = "$new/"
    guard text.hasPrefix(new) else {
      return SubjectSet(text, where: mayRead).map(NamedSource.subjects)
    }
    return SubjectSet(ofNew: String(text.dropFirst(new.count)), where: mayRead)
      .map(NamedSource.newSubjects)
  }

  /// Whether it stands for all that fits a pattern.
  public static func isPattern(_ text: String) -> Bool { pattern(text) != nil }
}
