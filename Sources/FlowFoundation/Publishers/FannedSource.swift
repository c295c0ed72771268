import FlowCore

/// Sends values from outside to one subscriber that has demand; the others are left out.
///
/// It is what subscriptions to Foundation's sources have inside: a subject with one subscriber,
/// which is let go with it.
final class FannedSource<Output> {
  private let subject = PassthroughSubject<Output, Never>()
  private var subscription: (any Subscription)?

  deinit { cancel() }

  /// Attaches the subscriber, which is not told: it gets another subscription.
  func subscribe(_ subscriber: some Subscriber<Output, Never>) {
    subject.subscribe(Relay(subscriber) { self.subscription = $0 })
  }

  func send(_ value: Output) { subject.send(value) }
  func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }
  func cancel() { subscription?.cancel() }

  /// The demand that is not met yet.
  var demand: Subscribers.Demand {
    subscription.flatMap { Mirror(reflecting: $0).descendant("demand") as? Subscribers.Demand }
      ?? .none
  }

  private struct Relay<Downstream: Subscriber>: Subscriber where Downstream.Failure == Never {
    typealias Input = Downstream.Input
    typealias Failure = Never

    let combineIdentifier = CombineIdentifier()
    private let downstream: Downstream
    private let subscribed: (any Subscription) -> Void

    init(_ downstream: Downstream, _ subscribed: @escaping (any Subscription) -> Void) {
      self.downstream = downstream
      self.subscribed = subscribed
    }

    func receive(subscription: any Subscription) { subscribed(subscription) }
    func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(input) }
    func receive(completion: Subscribers.Completion<Never>) {}
  }
}
