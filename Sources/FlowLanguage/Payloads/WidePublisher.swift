import FlowCore

/// A publisher that joins so many others that it takes long to cancel: that is done in a later turn where
/// one has lasted long enough.
///
/// A stage that joins publishers ends all of them when one fails; with each wide one below it in turn, no
/// turn is long, however many there are.
struct WidePublisher: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let upstream: Stream
  let memoryBudget: MemoryBudget

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    upstream.subscribe(WideSubscription(AnySubscriber(subscriber), memoryBudget))
  }
}

private final class WideSubscription: StageExit, Subscriber, Subscription {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private let memoryBudget: MemoryBudget
  /// The upstream, until it ends or is cancelled; then values go nowhere.
  private var upstream: _HeldSubscription?

  init(_ downstream: AnySubscriber<Value, PipelineFailure>, _ memoryBudget: MemoryBudget) {
    self.memoryBudget = memoryBudget
    super.init(downstream)
  }

  func receive(subscription: any Subscription) {
    upstream = subscription._held
    hand(self as any Subscription)
  }

  func receive(_ input: Value) -> Subscribers.Demand { upstream == nil ? .none : hand(input) }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    guard upstream != nil else { return }
    upstream = nil
    hand(completion)
  }

  func request(_ demand: Subscribers.Demand) { upstream?.request(demand) }

  func cancel() {
    guard let old = upstream else { return }
    upstream = nil
    memoryBudget.cancel(each: {
      old.cancel()
      return false
    })
  }
}

extension Compiler {
  /// The source, which takes long to cancel.
  static func wide(_ source: @escaping PublisherFactory) -> PublisherFactory {
    { (locals, context) throws(EvaluationError) in
      let stream = try source(&locals, context)
      return WidePublisher(upstream: stream, memoryBudget: context.memoryBudget)
        .eraseToAnyPublisher()
    }
  }
}
