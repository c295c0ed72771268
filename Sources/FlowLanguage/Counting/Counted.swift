internal import FlowCore

/// A stage with a counter behind it, which changes nothing.
struct Counted: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let upstream: Stream
  let counter: StageCounter

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    upstream.subscribe(Inner(downstream: AnySubscriber(subscriber), counter: counter))
  }

  private final class Inner: StageExit, Subscriber, PayloadSource, PayloadReceiver {
    typealias Input = Value
    typealias Failure = PipelineFailure

    private let counter: StageCounter
    private var upstream: _HeldSubscription?

    init(downstream: AnySubscriber<Value, PipelineFailure>, counter: StageCounter) {
      self.counter = counter
      super.init(downstream)
    }

    func receive(subscription: any Subscription) {
      upstream = subscription._held
      counter.holder = subscription as? any ValueHolder
      counter.begins(self)
      hand(self as any Subscription)
    }

    func handPayloads(to receiver: any PayloadReceiver) {
      guard takes(receiver) else { return }
      upstream?.subscription.mayHandPayloads(to: self)
    }

    func receive(_ input: Value) -> Subscribers.Demand {
      count(1) { hand(input) }
    }

    func room(for largest: Int) -> Int { receiver?.room(for: largest) ?? 0 }

    func receive(_ payloads: Payloads) -> Subscribers.Demand {
      count(payloads.places.count) { receiver?.receive(payloads) ?? .none }
    }

    var reach: PayloadReach { receiver?.reach ?? .anywhere }

    func isOnlyWay(in search: Int) -> Bool { receiver?.isOnlyWay(in: search) ?? false }

    func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
      count(1) { unsafe receiver?.receive(payload) ?? .none }
    }

    @inline(__always)
    private func count(
      _ count: Int,
      _ handOn: () -> Subscribers.Demand
    ) -> Subscribers.Demand {
      counter.send(count)
      let more = handOn()
      counter.ask(more)
      return more
    }

    func receive(completion: Subscribers.Completion<PipelineFailure>) {
      upstream = nil
      counter.end(self)
      hand(completion)
    }

    func request(_ demand: Subscribers.Demand) {
      guard let upstream else { return }
      counter.ask(demand)
      upstream.request(demand)
    }

    func cancel() {
      guard let upstream else { return }
      self.upstream = nil
      counter.end(self)
      upstream.cancel()
    }
  }
}

extension StageCounter? {
  /// A publisher below the stage that it subscribes to at once: what comes of it comes to the stage.
  func countingBelow(_ stream: Stream) -> Stream {
    guard let counter = self else { return stream }
    return Counted(upstream: stream, counter: counter.countBelow()).eraseToAnyPublisher()
  }
}

extension Compiler {
  /// The source, counted as the stage with this index where its context counts.
  static func counted(_ source: @escaping PublisherFactory, at index: Int) -> PublisherFactory {
    { (locals, context) throws(EvaluationError) in
      let stream = try source(&locals, context)
      guard let counters = context.counters else { return stream }
      return Counted(upstream: stream, counter: counters[index]).eraseToAnyPublisher()
    }
  }
}
