import FlowCore

/// The names of the subjects of a set as they are made: `$new/sensors/*`.
struct NewNames: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let set: SubjectSet
  let context: any PipelineContext
  let counter: StageCounter?

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    let inner = Inner(AnySubscriber(subscriber), context, counter)
    subscriber.receive(subscription: inner)
    inner.begin(set)
  }

  private final class Inner: Subscription {
    private var downstream: AnySubscriber<Value, PipelineFailure>?
    private let context: any PipelineContext
    private let counter: StageCounter?
    private var reading: AnyCancellable?
    /// `Int.max` is no limit.
    private var demand = 0

    init(
      _ downstream: AnySubscriber<Value, PipelineFailure>,
      _ context: any PipelineContext,
      _ counter: StageCounter?
    ) {
      self.downstream = downstream
      self.context = context
      self.counter = counter
    }

    func begin(_ set: SubjectSet) {
      guard downstream != nil else { return }
      reading = context.subjects(in: set, new: true) { [weak self] in self?.isMade($0) }
    }

    private func isMade(_ name: String) {
      guard let downstream else { return }
      guard demand > 0 else {
        counter?.drop(1)
        return context.dropped(1, .noDemand)
      }
      if demand != .max { demand -= 1 }
      counter?.send()
      add(downstream.receive(.string(name)))
    }

    func request(_ more: Subscribers.Demand) { add(more) }

    private func add(_ more: Subscribers.Demand) {
      guard downstream != nil, more > .none else { return }
      counter?.ask(more)
      demand = addDemand(demand, more.max ?? .max)
    }

    func cancel() {
      guard downstream != nil else { return }
      downstream = nil
      reading = nil
      counter?.end()
    }
  }
}
