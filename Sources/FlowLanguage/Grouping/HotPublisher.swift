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
  func send(_ value: Value) -> Int {
    var missed = 0
    for link in links where link.receive != nil {
      if link.demand > .none { link.send(value) } else { missed += 1 }
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
    let link = Link(self, subscriber)
    hasBegun = true
    if end == nil { links.append(link) }
    subscriber.receive(subscription: link)
    if let end { link.finish(end) }
  }

  private func leave(_ link: Link) {
    links.removeAll { $0 === link }
    onDemand?()
  }

  private final class Link: Subscription {
    private(set) var demand = Subscribers.Demand.none
    /// There while it may be sent something.
    private(set) var receive: ((Value) -> Subscribers.Demand)?
    private var complete: ((Subscribers.Completion<PipelineFailure>) -> Void)?
    private weak var publisher: HotPublisher?

    init<S: Subscriber>(_ publisher: HotPublisher, _ subscriber: S)
    where S.Input == Value, S.Failure == PipelineFailure {
      self.publisher = publisher
      receive = { subscriber.receive($0) }
      complete = { subscriber.receive(completion: $0) }
    }

    func send(_ value: Value) {
      demand -= 1
      if let more = receive?(value) { demand += more }
    }

    func finish(_ completion: Subscribers.Completion<PipelineFailure>) {
      let complete = complete
      receive = nil
      self.complete = nil
      complete?(completion)
    }

    func request(_ demand: Subscribers.Demand) {
      guard receive != nil else { return }
      self.demand += demand
      publisher?.onDemand?()
    }

    func cancel() {
      guard receive != nil else { return }
      receive = nil
      complete = nil
      publisher?.leave(self)
    }
  }
}
