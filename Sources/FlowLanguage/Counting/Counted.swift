internal import FlowCore

/// A stage with a counter behind it, which changes nothing.
struct Counted: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let upstream: Stream
  let counter: StageCounter

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    upstream.subscribe(Inner(downstream: subscriber, counter: counter))
  }

  private final class Inner<Downstream: Subscriber>: Subscriber, Subscription
  where Downstream.Input == Value, Downstream.Failure == PipelineFailure {
    private let downstream: Downstream
    private let counter: StageCounter
    private var upstream: (any Subscription)?

    init(downstream: Downstream, counter: StageCounter) {
      self.downstream = downstream
      self.counter = counter
    }

    func receive(subscription: any Subscription) {
      upstream = subscription
      counter.holder = subscription as? any _ValueHolder
      downstream.receive(subscription: self)
    }

    func receive(_ input: Value) -> Subscribers.Demand {
      counter.send()
      let more = downstream.receive(input)
      counter.ask(more)
      return more
    }

    func receive(completion: Subscribers.Completion<PipelineFailure>) {
      upstream = nil
      counter.end()
      downstream.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) {
      guard let upstream else { return }
      counter.ask(demand)
      upstream.request(demand)
    }

    func cancel() {
      guard let upstream else { return }
      self.upstream = nil
      counter.end()
      upstream.cancel()
    }
  }
}

extension Compiler {
  /// The source, counted where its context counts.
  func counted(_ source: @escaping Source) -> Source {
    guard !isBelow else { return source }
    return { [index = chain.count] (frame, context) throws(Trouble) in
      let stream = try source(&frame, context)
      guard let counters = context.counters else { return stream }
      return Counted(upstream: stream, counter: counters[index]).eraseToAnyPublisher()
    }
  }
}
