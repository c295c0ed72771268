internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

/// A call of another server, for a worker of this one.
final class TakenCall {
  private enum Phase {
    /// Its server is asked for the call; the taker counts it.
    case asking(CallTaker)
    case begun
    case over
  }

  // memory 3
  @safe private unowned(unsafe) let calls: SharedCalls
  let number: UInt64
  let service: String
  private let argument: [UInt8]
  /// The subject to acknowledge the call at.
  private let ack: String
  private let talk: CallTalk
  private var subscription: (any Subscription)?
  private var phase: Phase
  private let since: Int64

  init(
    _ number: UInt64,
    of service: String,
    from peer: String,
    _ argument: [UInt8],
    ack: String,
    by taker: CallTaker,
    in calls: SharedCalls
  ) {
    phase = .asking(taker)
    self.number = number
    self.service = service
    self.argument = argument
    self.ack = ack
    self.calls = calls
    talk = CallTalk(with: peer, at: calls.address(number), in: calls)
    since = calls.shared.now
  }

  /// Asks the call's server for it.
  func ask() {
    if case .asking(let taker) = phase { taker.beginAsking() }
    talk.say("TAKE")
  }

  private var isAsking: Bool { if case .asking = phase { true } else { false } }
  private var isOver: Bool { if case .over = phase { true } else { false } }

  private func enter(_ next: Phase) {
    let last = phase
    phase = next
    if case .asking(let taker) = last { taker.endAsking() }
  }

  func hear(_ message: UnsafeRawBufferPointer) {
    guard !isOver else { return }
    switch unsafe talk.hear(message) {
    case .request(let count)?:
      if isAsking { begin() }
      subscription?.request(.max(count))
    case .cancel?:
      if isAsking { acknowledge() }
      cancel()
    case .alive?: break
    case .take?, .value?, .done?, .fail?, nil:
      // NATS says that the other server no longer listens, so the call is over.
      if isAsking { acknowledge() }
      fail(.workerLost, "what servers said to each other was lost")
    }
  }

  private func acknowledge() {
    calls.shared.link.publish { $0.publish(ack, SharedCalls.ack) }
  }

  private func begin() {
    enter(.begun)
    acknowledge()
    let engine = calls.shared.engine
    let budget = MemoryBudget(
      bytes: engine.configuration.pipelines.holdLimit,
      innerPublishers: engine.configuration.pipelines.nestedPublisherLimit
    )
    let subscriber = AnySubscriber<Value, PipelineFailure>(
      receiveSubscription: { [weak self] in self?.subscription = $0 },
      receiveValue: { [weak self] value in
        self?.say(value)
        return .none
      },
      receiveCompletion: { [weak self] in self?.end($0) }
    )
    let value = unsafe argument.withUnsafeBytes { unsafe Value(bytes: $0) }
    let call = Call(
      value,
      of: service,
      in: engine,
      for: budget,
      isTaken: true,
      subscriber: subscriber
    )
    subscription = call
    call.begin()
  }

  private func say(_ value: Value) {
    unsafe value.withBytes { bytes in
      guard bytes.count <= calls.longestValue else {
        return fail(.limit, "a value of \(bytes.count) bytes is too long for NATS")
      }
      if !isOver { unsafe talk.say(value: bytes) }
    }
  }

  private func end(_ completion: Subscribers.Completion<PipelineFailure>) {
    guard !isOver else { return }
    enter(.over)
    switch completion {
    case .finished: talk.say("DONE")
    case .failure(let failure):
      talk.say("FAIL \(failure.code) \(FrameWriter.oneLine(failure.message))")
    }
    calls.forget(self)
  }

  private func fail(_ code: ErrorCode, _ text: String) {
    guard !isOver else { return }
    end(.failure(PipelineFailure(code, text)))
    // The subscription may be delivering a value now.
    let subscription = subscription.take()
    calls.shared.engine.nextTurn { subscription?.cancel() }
  }

  /// Cancels the call, because the other server no longer wants it or is gone.
  func cancel() {
    guard !isOver else { return }
    enter(.over)
    calls.forget(self)
    subscription.take()?.cancel()
  }

  /// Gives the call up if it waits too long or its server is silent.
  func check() {
    if talk.isLost { return cancel() }
    // The call may have gone to another server, or its server may have stopped. The free worker may
    // have got another call meanwhile.
    let waited = calls.shared.now - since
    let isUnanswered = isAsking && waited >= 5 * SharedCalls.second
    if isUnanswered || isWaiting && waited >= SharedCalls.second { return giveBack() }
    talk.keepAlive()
  }

  /// Whether it waits for a worker.
  private var isWaiting: Bool { (subscription as? Call)?.waitsFor != nil }

  /// Gives the call back to its server, because no worker has seen it.
  private func giveBack() {
    talk.say("CANCEL")
    cancel()
  }

  func linkIsUp() { talk.linkIsUp() }
}
