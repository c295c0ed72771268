import FlowCore

/// What a stage makes of what comes in.
enum Verdict {
  /// Publish it as it is.
  case pass
  case publish(Value)
  case leaveOut
  /// Publish it as it is and finish.
  case last
  case finish
}

/// What a stage does with each value of one subscription.
typealias Step = (Incoming) throws(PipelineFailure) -> Verdict

/// A stage that looks at one value after the other.
struct Stage: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let upstream: AnyPublisher<Value, PipelineFailure>
  /// Counts what it sends and what is asked of it.
  var counter: StageCounter?
  /// Whether its step passes everything.
  var passesAll = false
  /// Makes the step of a new subscription.
  let step: () -> Step

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    upstream.subscribe(StageSubscriber(AnySubscriber(subscriber), self))
  }
}

private final class StageSubscriber: Subscriber, PayloadSource, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private let downstream: AnySubscriber<Value, PipelineFailure>
  private let step: Step
  private var upstream: (any Subscription & AnyObject)?
  /// The subscriber, if it takes payloads.
  private var receiver: (any PayloadReceiver)?
  private let counter: StageCounter?
  private let passesAll: Bool
  private var ended = false

  init(_ downstream: AnySubscriber<Value, PipelineFailure>, _ stage: Stage) {
    self.downstream = downstream
    counter = stage.counter
    passesAll = stage.passesAll
    step = stage.step()
  }

  func receive(subscription: any Subscription) {
    upstream = subscription._asObject
    downstream.receive(subscription: self)
  }

  func handPayloads(to receiver: any PayloadReceiver) {
    guard downstream._hides(receiver) else { return }
    self.receiver = receiver
    upstream?.mayHandPayloads(to: self)
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

  // MARK: Values

  func receive(_ input: Value) -> Subscribers.Demand { take(.value(input)) }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    take(.payload(payload))
  }

  func room(for largest: Int) -> Int {
    passesAll && !ended ? receiver?.room(for: largest) ?? 0 : 0
  }

  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    count(payloads.places.count) { receiver?.receive(payloads) ?? .none }
  }

  private func take(_ input: Incoming) -> Subscribers.Demand {
    guard !ended else { return .none }
    do {
      switch try step(input) {
      case .pass: return send(input)
      case .publish(let value): return count(1) { downstream.receive(value) }
      case .leaveOut: return .max(1)
      case .last:
        _ = send(input)
        end(.finished)
      case .finish: end(.finished)
      }
    } catch {
      end(.failure(error))
    }
    return .none
  }

  private func send(_ input: Incoming) -> Subscribers.Demand {
    count(1) {
      switch input {
      case .value(let value): downstream.receive(value)
      case .payload(let payload): receiver?.receive(payload) ?? .none
      }
    }
  }

  @inline(__always)
  private func count(_ count: Int, _ handOn: () -> Subscribers.Demand) -> Subscribers.Demand {
    guard let counter else { return handOn() }
    counter.send(count)
    let more = handOn()
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
