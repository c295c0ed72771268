import FlowCore

/// Sends what it is told to, to whoever subscribes, each at its own demand.
///
/// Used where the clock runs, as all of a running pipeline is.
final class HotPublisher: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  /// Called when a subscriber asks for more, and when one leaves.
  var onDemand: (() -> Void)?
  /// Whether anybody has subscribed.
  private(set) var hasBegun = false
  private var links: [Link] = []
  private var end: Subscribers.Completion<PipelineFailure>?

  /// Whether there is nobody for whom a value would come too early.
  var isReady: Bool { links.allSatisfy { $0.demand > .none } }

  /// Whether nobody listens any more, or the end was sent.
  var isOver: Bool { end != nil || (hasBegun && links.isEmpty) }

  /// Sends a value to those who have asked for one, and returns how many have not.
  @discardableResult
  func send(_ input: Incoming) -> Int {
    var (input, missed) = (input, 0)
    for link in links where link.subscriber != nil {
      if link.demand > .none { link.send(&input) } else { missed += 1 }
    }
    return missed
  }

  func send(completion: Subscribers.Completion<PipelineFailure>) {
    guard end == nil else { return }
    end = completion
    let old = links
    links = []
    onDemand = nil
    for link in old { link.finish(completion) }
  }

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    let link = Link(self, AnySubscriber(subscriber))
    hasBegun = true
    if end == nil { links.append(link) }
    subscriber.receive(subscription: link)
    if let end { link.finish(end) }
  }

  private func leave(_ link: Link) {
    links.removeAll { $0 === link }
    onDemand?()
  }

  private final class Link: Subscription, PayloadSource {
    private(set) var demand = Subscribers.Demand.none
    /// There while it may be sent something.
    private(set) var subscriber: AnySubscriber<Value, PipelineFailure>?
    /// The subscriber, if it takes payloads.
    private var receiver: (any PayloadReceiver)?
    private weak var publisher: HotPublisher?

    init(_ publisher: HotPublisher, _ subscriber: AnySubscriber<Value, PipelineFailure>) {
      self.publisher = publisher
      self.subscriber = subscriber
    }

    func handPayloads(to receiver: any PayloadReceiver) {
      guard let subscriber, subscriber.hides(receiver) else { return }
      self.receiver = receiver
    }

    /// Sends what comes in, of which a value is made once for all who take no payloads.
    func send(_ input: inout Incoming) {
      guard let subscriber else { return }
      demand -= 1
      if case .payload(let payload) = input, let receiver {
        demand += unsafe receiver.receive(payload)
      } else {
        let value = input.value
        input = .value(value)
        demand += subscriber.receive(value)
      }
    }

    func finish(_ completion: Subscribers.Completion<PipelineFailure>) {
      let subscriber = subscriber
      close()
      subscriber?.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) {
      guard subscriber != nil else { return }
      self.demand += demand
      publisher?.onDemand?()
    }

    func cancel() {
      guard subscriber != nil else { return }
      close()
      publisher?.leave(self)
    }

    private func close() {
      subscriber = nil
      receiver = nil
    }
  }
}
