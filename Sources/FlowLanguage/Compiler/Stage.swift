import FlowCore

/// What a stage makes of a value.
enum Verdict {
  case publish(Value)
  case leaveOut
  /// Publish this and finish.
  case last(Value)
  case finish
}

/// What a stage does with each value of one subscription.
typealias Step = (Value) throws(PipelineFailure) -> Verdict

/// A stage that looks at one value after the other.
struct Stage: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let upstream: AnyPublisher<Value, PipelineFailure>
  /// Counts what it sends and what is asked of it.
  var counter: StageCounter?
  /// Makes the step of a new subscription.
  let step: () -> Step

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    upstream.subscribe(Inner(downstream: subscriber, counter: counter, step: step()))
  }

  private final class Inner<Downstream: Subscriber>: Subscriber, Subscription
  where Downstream.Input == Value, Downstream.Failure == PipelineFailure {
    private let downstream: Downstream
    private let counter: StageCounter?
    private let step: Step
    private var upstream: (any Subscription)?
    private var ended = false

    init(downstream: Downstream, counter: StageCounter?, step: @escaping Step) {
      self.downstream = downstream
      self.counter = counter
      self.step = step
    }

    func receive(subscription: any Subscription) {
      upstream = subscription
      downstream.receive(subscription: self)
    }

    func request(_ demand: Subscribers.Demand) {
      guard let upstream else { return }
      counter?.ask(demand)
      upstream.request(demand)
    }

    func cancel() {
      ended = true
      counter?.end()
      let old = upstream
      upstream = nil
      old?.cancel()
    }

    func receive(_ input: Value) -> Subscribers.Demand {
      guard !ended else { return .none }
      do {
        switch try step(input) {
        case .publish(let value): return send(value)
        case .leaveOut: return .max(1)
        case .last(let value):
          _ = send(value)
          end(.finished)
        case .finish: end(.finished)
        }
      } catch {
        end(.failure(error))
      }
      return .none
    }

    private func send(_ value: Value) -> Subscribers.Demand {
      guard let counter else { return downstream.receive(value) }
      counter.send()
      let more = downstream.receive(value)
      counter.ask(more)
      return more
    }

    func receive(completion: Subscribers.Completion<PipelineFailure>) {
      guard !ended else { return }
      ended = true
      counter?.end()
      upstream = nil
      downstream.receive(completion: completion)
    }

    private func end(_ completion: Subscribers.Completion<PipelineFailure>) {
      guard !ended else { return }
      ended = true
      counter?.end()
      upstream?.cancel()
      upstream = nil
      downstream.receive(completion: completion)
    }
  }
}
