internal import FlowCore

/// A subscription to something shared, which tells what it missed for want of demand.
///
/// `source` counts what was there to be had. The misses are told before the next value or the end,
/// for nobody else knows of them: what is shared skips whoever has not asked.
struct Noticing: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let upstream: Stream
  let source: StageCounter
  let tell: (Int) -> Void

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    upstream.subscribe(Inner(downstream: subscriber, source: source, tell: tell))
  }

  private final class Inner<Downstream: Subscriber>: Subscriber
  where Downstream.Input == Value, Downstream.Failure == PipelineFailure {
    private let downstream: Downstream
    private let source: StageCounter
    private let tell: (Int) -> Void
    /// What the source will have sent when all since the subscription is received or told.
    private var accounted = 0

    init(downstream: Downstream, source: StageCounter, tell: @escaping (Int) -> Void) {
      self.downstream = downstream
      self.source = source
      self.tell = tell
    }

    func receive(subscription: any Subscription) {
      accounted = source.sent
      downstream.receive(subscription: subscription)
    }

    func receive(_ input: Value) -> Subscribers.Demand {
      accounted &+= 1
      tellMisses()
      return downstream.receive(input)
    }

    func receive(completion: Subscribers.Completion<PipelineFailure>) {
      tellMisses()
      downstream.receive(completion: completion)
    }

    private func tellMisses() {
      let missed = source.sent - accounted
      guard missed > 0 else { return }
      accounted += missed
      tell(missed)
    }
  }
}
