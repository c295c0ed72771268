internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The outlet of a stream that reads a subject directly.
final class StreamOutlet: Outlet {
  // The stream leaves the subject before it is freed (memory 3).
  @safe private unowned(unsafe) let stream: ClientSubscription

  init(_ stream: ClientSubscription) {
    self.stream = stream
    super.init()
    holds = stream.holds
  }

  var reader: ClientSubscription { stream }

  override var owner: String { stream.label }

  override var isUnread: Bool { stream.isUnread }

  override func offer(_ value: inout PublishedValue) {
    stream.emit(&value)
  }

  override var takesBatches: Bool { true }

  override func offer(_ batch: ValueBatch, _ places: Range<Int>) -> (to: Int, missed: Int) {
    let result = offer(places) { stream.emit(batch, $0) }
    if result.missed > 0 { stream.missed(result.missed, .noDemand) }
    return result
  }

  override func requestMore() -> Int { stream.moreFromSubject() }

  override func missed(_ count: Int, _ reason: DropReason) { stream.missed(count, reason) }

  override func finish(_ completion: Subscribers.Completion<PipelineFailure>) {
    stream.finish(completion)
  }
}
