internal import FlowCore

/// A stage whose lane hears what it sends and what is asked of it.
struct Recorded: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let upstream: Stream
  let lane: any StageLane

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    upstream.subscribe(RecordedSubscription(AnySubscriber(subscriber), lane))
  }
}

/// One subscription of a stage that is recorded.
final class RecordedSubscription: Subscriber, Subscription, CustomStringConvertible {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private let downstream: AnySubscriber<Value, PipelineFailure>
  private let lane: any StageLane
  private var upstream: _HeldSubscription?
  private var holder: (any ValueHolder)?
  /// Asked and not sent yet; `Int.max` is no limit.
  private(set) var demand = 0

  init(_ downstream: AnySubscriber<Value, PipelineFailure>, _ lane: any StageLane) {
    self.downstream = downstream
    self.lane = lane
  }

  var description: String { upstream.map { String(describing: $0.subscription) } ?? "" }

  /// Values inside, as far as is known.
  var held: Int { holder?.heldCount ?? 0 }

  func receive(subscription: any Subscription) {
    guard lane.step() else { return subscription.cancel() }
    upstream = subscription._held
    holder = subscription as? any ValueHolder
    lane.subscriptions.begins(self)
    downstream.receive(subscription: self)
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    guard upstream != nil else { return .none }
    guard lane.step() else {
      cancel()
      return .none
    }
    if demand != .max { change(to: max(0, demand - 1)) }
    lane.sends(input)
    let more = downstream.receive(input)
    ask(more)
    return more
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    guard upstream != nil else { return }
    end(finished: completion == .finished)
    downstream.receive(completion: completion)
  }

  func request(_ demand: Subscribers.Demand) {
    guard let upstream else { return }
    ask(demand)
    upstream.request(demand)
  }

  private func ask(_ more: Subscribers.Demand) {
    if more > .none, upstream != nil { change(to: addDemand(demand, more.max ?? .max)) }
  }

  private func change(to new: Int) {
    lane.subscriptions.demandChanged(from: demand, to: new)
    demand = new
  }

  private func end(finished: Bool) {
    upstream = nil
    lane.subscriptions.ends(self, finished: finished)
    demand = 0
    holder = nil
  }

  func cancel() {
    guard let upstream else { return }
    end(finished: false)
    upstream.cancel()
  }
}
