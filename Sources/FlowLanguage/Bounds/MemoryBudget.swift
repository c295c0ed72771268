public import FlowCore

/// What one running pipeline holds, and may hold at most: bytes of values and of the publishers that
/// its `flatMap`s have open, and the number of these.
///
/// Used where the clock runs, as all of a running pipeline is. A host's context may be one itself.
open class MemoryBudget: _ChildCount {
  private let byteLimit: Int
  private let innerLimit: Int
  /// In what turns many publishers are cancelled; in one without it.
  private let timeSlice: TimeSlice?
  /// What its stages hold, but for open publishers.
  @safe @exclusivity(unchecked) private var values = 0  // memory 6

  /// Makes an empty budget.
  ///
  /// - Parameters:
  ///   - bytes: the most bytes that its stages may hold.
  ///   - innerPublishers: the most publishers that all `flatMap`s may have open.
  ///   - timeSlice: in what turns many publishers are cancelled; in one without it.
  public init(
    bytes: Int = 64 << 20,
    innerPublishers: Int = 100_000,
    timeSlice: TimeSlice? = nil
  ) {
    byteLimit = bytes
    innerLimit = innerPublishers
    self.timeSlice = timeSlice
  }

  /// The bytes that it holds.
  public final var bytes: Int { values + totalCost }

  /// One that holds nothing yet and may hold as much.
  final func another() -> MemoryBudget {
    MemoryBudget(bytes: byteLimit, innerPublishers: innerLimit, timeSlice: timeSlice)
  }

  /// Why no inner publisher may be opened now, if that is so.
  final var refusalOfInner: PipelineFailure? {
    if bytes >= byteLimit { return tooMuch("flatMap") }
    guard openCount >= innerLimit else { return nil }
    return .limit("the limit of \(openCount) open publishers in all flatMaps is reached")
  }

  /// Counts the bytes of what a stage keeps; throws if there are too many.
  final func hold(_ count: Int, in stage: String) throws(PipelineFailure) {
    guard hasRoom(for: count) else { throw tooMuch(stage) }
    if count >= Self.large, let failure = refusal(ofLarge: count) { throw failure }
    values += count
  }

  /// From so many bytes on the host is asked each time.
  private static let large = 64 << 10

  /// Why a large value may not be kept now, if the host has no room for it.
  open func refusal(ofLarge count: Int) -> PipelineFailure? { nil }

  /// Whether so many bytes more may be held.
  final func hasRoom(for count: Int) -> Bool { bytes + count <= byteLimit }

  public final func release(_ count: Int) { values -= count }

  /// Counts the bytes of what is kept and cannot be refused.
  public final func charge(_ count: Int) {
    values += count
    if bytes > byteLimit {
      ranOver(tooMuch("it"))
    } else if count >= Self.large, let failure = refusal(ofLarge: count) {
      ranOver(failure)
    }
  }

  /// A stage keeps what it cannot refuse.
  public final override func keep(_ value: Any) {
    charge((value as? Value)?.footprint ?? 0)
  }

  public final override func giveBack(_ value: Any) {
    values -= (value as? Value)?.footprint ?? 0
  }

  /// Cancels many publishers, in later turns where one has lasted long enough.
  public final override func cancel(each next: @escaping () -> Bool) {
    if let timeSlice { timeSlice.inTurns(next) } else { super.cancel(each: next) }
  }

  /// It holds more than it may, which no stage could refuse: whoever runs it has to end it.
  open func ranOver(_ failure: PipelineFailure) {}

  private func tooMuch(_ stage: String) -> PipelineFailure {
    .limit("\(stage) would exceed the limit of \(byteLimit) bytes")
  }
}
