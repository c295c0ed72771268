extension Publisher {
  /// Calls closures as signals pass, and changes nothing.
  @inlinable
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

    /// The publisher whose signals are told of.
    public let upstream: Upstream
    /// Called with the upstream's subscription, before it is passed on.
    public var receiveSubscription: ((any Subscription) -> Void)?
    /// Called with each value, before it is passed on.
    public var receiveOutput: ((Output) -> Void)?
    /// Called with the end, before it is passed on.
    public var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
    /// Called at a cancellation, before the upstream is cancelled; not after the end.
    public var receiveCancel: (() -> Void)?
    /// Called with each demand: one that is requested, before it is passed on, and one above 0 that
    /// comes back with a value.
    public var receiveRequest: ((Subscribers.Demand) -> Void)?

    /// Creates a publisher that calls closures as the signals of `upstream` pass.
    ///
    /// Closures are called on the thread that sends the signal.
    @inlinable
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

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: TapSubscriber("HandleEvents", subscriber, Tap(events: self)))
    }

    @frozen
    @usableFromInline
    struct Tap: SignalTap {
      @usableFromInline let events: HandleEvents

      @inlinable
      init(events: HandleEvents) {
        self.events = events
      }

      @inlinable
      func receive(subscription: any Subscription) { events.receiveSubscription?(subscription) }
      @inlinable
      func receive(_ output: Output) { events.receiveOutput?(output) }
      @inlinable
      func receive(completion: Subscribers.Completion<Failure>) {
        events.receiveCompletion?(completion)
      }
      @inlinable
      func request(_ demand: Subscribers.Demand, isReturned: Bool) {
        events.receiveRequest?(demand)
      }
      @inlinable
      func cancel() { events.receiveCancel?() }
    }
  }
}
