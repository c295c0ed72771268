import FlowCore

/// Subscribes to its upstream within the time slice of the loop: at once, or in a later turn if this one has
/// lasted long enough.
///
/// What subscribes again and again to a source that ends at once stands behind this, and what
/// makes its publisher in a turn that is over.
struct PacedSubscribing<Upstream: Publisher>: Publisher
where Upstream.Output == Value, Upstream.Failure == PipelineFailure {
  typealias Output = Value
  typealias Failure = PipelineFailure

  private let upstream: Upstream
  private let timeSlice: TimeSlice?
  private let wait: (@escaping () -> Void) -> Void

  init(upstream: Upstream, timeSlice: TimeSlice) {
    self.upstream = upstream
    self.timeSlice = timeSlice
    wait = timeSlice.wait
  }

  /// In a later turn, which `wait` asks for.
  init(upstream: Upstream, wait: @escaping (@escaping () -> Void) -> Void) {
    self.upstream = upstream
    timeSlice = nil
    self.wait = wait
  }

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    if let timeSlice, timeSlice.step() { return upstream.receive(subscriber: subscriber) }
    let later = Later(subscriber)
    subscriber.receive(subscription: later)
    wait { [upstream] in
      if later.isWanted { upstream.subscribe(later) }
    }
  }

  /// Keeps the demand until there is an upstream.
  private final class Later<Downstream: Subscriber>: Subscriber, Subscription
  where Downstream.Input == Value, Downstream.Failure == PipelineFailure {
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var demand = Subscribers.Demand.none

    init(_ downstream: Downstream) { self.downstream = downstream }

    var isWanted: Bool { downstream != nil }

    func receive(subscription: any Subscription) {
      guard isWanted, upstream == nil else { return subscription.cancel() }
      upstream = subscription
      if demand > .none { subscription.request(demand) }
    }

    func receive(_ input: Value) -> Subscribers.Demand { downstream?.receive(input) ?? .none }

    func receive(completion: Subscribers.Completion<PipelineFailure>) {
      let downstream = downstream
      self.downstream = nil
      upstream = nil
      downstream?.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) {
      guard isWanted else { return }
      if let upstream { upstream.request(demand) } else { self.demand += demand }
    }

    func cancel() {
      downstream = nil
      let upstream = upstream
      self.upstream = nil
      upstream?.cancel()
    }
  }
}
