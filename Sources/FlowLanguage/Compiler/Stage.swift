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
  /// Makes the step of a new subscription.
  let step: () -> Step

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    upstream.subscribe(Inner(downstream: subscriber, step: step()))
  }

  private final class Inner<Downstream: Subscriber>: Subscriber
  where Downstream.Input == Value, Downstream.Failure == PipelineFailure {
    private let downstream: Downstream
    private let step: Step
    private var upstream: (any Subscription)?
    private var ended = false

    init(downstream: Downstream, step: @escaping Step) {
      self.downstream = downstream
      self.step = step
    }

    func receive(subscription: any Subscription) {
      upstream = subscription
      downstream.receive(subscription: subscription)
    }

    func receive(_ input: Value) -> Subscribers.Demand {
      guard !ended else { return .none }
      do {
        switch try step(input) {
        case .publish(let value): return downstream.receive(value)
        case .leaveOut: return .max(1)
        case .last(let value):
          _ = downstream.receive(value)
          end(.finished)
        case .finish: end(.finished)
        }
      } catch {
        end(.failure(error))
      }
      return .none
    }

    func receive(completion: Subscribers.Completion<PipelineFailure>) {
      guard !ended else { return }
      ended = true
      upstream = nil
      downstream.receive(completion: completion)
    }

    private func end(_ completion: Subscribers.Completion<PipelineFailure>) {
      guard !ended else { return }
      ended = true
      upstream?.cancel()
      upstream = nil
      downstream.receive(completion: completion)
    }
  }
}
