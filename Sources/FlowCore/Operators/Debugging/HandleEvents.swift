extension Publisher {
  /// Calls closures as signals pass, and changes nothing.
  public func handleEvents(
    receiveSubscription: ((any Subscription) -> Void)? = nil,
    receiveOutput: ((Output) -> Void)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
    receiveCancel: (() -> Void)? = nil,
    receiveRequest: ((Subscribers.Demand) -> Void)? = nil
  ) -> Publishers.HandleEvents<Self> {
    Publishers.HandleEvents(
      upstream: self,
      receiveSubscription: receiveSubscription,
      receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion,
      receiveCancel: receiveCancel,
      receiveRequest: receiveRequest
    )
  }
}

extension Publishers {
  /// See `handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)`.
  public struct HandleEvents<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public var receiveSubscription: ((any Subscription) -> Void)?
    public var receiveOutput: ((Output) -> Void)?
    public var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
    public var receiveCancel: (() -> Void)?
    public var receiveRequest: ((Subscribers.Demand) -> Void)?

    public init(
      upstream: Upstream,
      receiveSubscription: ((any Subscription) -> Void)? = nil,
      receiveOutput: ((Output) -> Void)? = nil,
      receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
      receiveCancel: (() -> Void)? = nil,
      receiveRequest: ((Subscribers.Demand) -> Void)?
    ) {
      self.upstream = upstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
      self.receiveCancel = receiveCancel
      self.receiveRequest = receiveRequest
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(subscriber, self))
    }
  }
}

extension Publishers.HandleEvents {
  private final class Inner<Downstream: Subscriber>: Subscriber, Subscription,
    CustomStringConvertible
  where Downstream.Input == Output, Downstream.Failure == Failure {
    private let lock = Lock()
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var events: Publishers.HandleEvents<Upstream>?

    init(_ downstream: Downstream, _ events: Publishers.HandleEvents<Upstream>) {
      self.downstream = downstream
      self.events = events
    }

    var description: String { "HandleEvents" }

    func receive(subscription: any Subscription) {
      let (downstream, events) = current()
      events?.receiveSubscription?(subscription)
      let isWanted: Bool = lock.withLock {
        guard upstream == nil, self.downstream != nil else { return false }
        upstream = subscription
        return true
      }
      if isWanted { downstream?.receive(subscription: self) } else { subscription.cancel() }
    }

    func receive(_ input: Output) -> Subscribers.Demand {
      let (downstream, events) = current()
      guard let downstream else { return .none }
      events?.receiveOutput?(input)
      let more = downstream.receive(input)
      if more > 0 { events?.receiveRequest?(more) }
      return more
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      let (downstream, events) = current()
      guard let downstream else { return }
      events?.receiveCompletion?(completion)
      end()
      downstream.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) {
      let (_, events) = current()
      events?.receiveRequest?(demand)
      lock.withLock { upstream }?.request(demand)
    }

    func cancel() {
      let (downstream, events) = current()
      guard downstream != nil else { return }
      events?.receiveCancel?()
      let upstream = lock.withLock { self.upstream }
      end()
      upstream?.cancel()
    }

    private func current() -> (Downstream?, Publishers.HandleEvents<Upstream>?) {
      lock.withLock { (downstream, events) }
    }

    private func end() {
      let old: (Downstream?, (any Subscription)?, Publishers.HandleEvents<Upstream>?) =
        lock.withLock {
          defer {
            downstream = nil
            upstream = nil
            events = nil
          }
          return (downstream, upstream, events)
        }
      withExtendedLifetime(old) {}
    }
  }
}
