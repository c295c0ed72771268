internal import Glibc

extension Publisher {
  /// Stops in the debugger when one of the closures says so.
  ///
  ///     source.breakpoint(receiveOutput: { $0 < 0 })
  ///
  /// The process is sent `SIGTRAP`, which ends it where there is no debugger. All signals pass
  /// through unchanged.
  @inlinable
  public func breakpoint(
    receiveSubscription: ((any Subscription) -> Bool)? = nil,
    receiveOutput: ((Output) -> Bool)? = nil,
    receiveCompletion: ((Subscribers.Completion<Failure>) -> Bool)? = nil
  ) -> Publishers.Breakpoint<Self> {
    Publishers.Breakpoint(
      upstream: self,
      receiveSubscription: receiveSubscription,
      receiveOutput: receiveOutput,
      receiveCompletion: receiveCompletion
    )
  }

  /// Stops in the debugger at a failure.
  @inlinable
  public func breakpointOnError() -> Publishers.Breakpoint<Self> {
    breakpoint(receiveCompletion: { completion in
      switch completion {
      case .finished: false
      case .failure: true
      }
    })
  }
}

extension Publishers {
  /// See `breakpoint(receiveSubscription:receiveOutput:receiveCompletion:)`.
  public struct Breakpoint<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose signals are looked at.
    public let upstream: Upstream
    /// Whether to stop at the subscription, before it is passed on.
    public let receiveSubscription: ((any Subscription) -> Bool)?
    /// Whether to stop at a value, before it is passed on.
    public let receiveOutput: ((Upstream.Output) -> Bool)?
    /// Whether to stop at the end, before it is passed on.
    public let receiveCompletion: ((Subscribers.Completion<Upstream.Failure>) -> Bool)?

    /// Creates a publisher that stops in the debugger where one of the closures returns true.
    ///
    /// Closures are called on the thread that delivers the signal.
    @inlinable
    public init(
      upstream: Upstream,
      receiveSubscription: ((any Subscription) -> Bool)? = nil,
      receiveOutput: ((Upstream.Output) -> Bool)? = nil,
      receiveCompletion: ((Subscribers.Completion<Upstream.Failure>) -> Bool)? = nil
    ) {
      self.upstream = upstream
      self.receiveSubscription = receiveSubscription
      self.receiveOutput = receiveOutput
      self.receiveCompletion = receiveCompletion
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(downstream: subscriber, breakpoint: self))
    }
  }
}

extension Publishers.Breakpoint {
  @frozen
  @usableFromInline
  struct Inner<Downstream: Subscriber>: Subscriber, _SelfDescribing
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline let downstream: Downstream
    @usableFromInline let breakpoint: Publishers.Breakpoint<Upstream>

    @inlinable
    init(downstream: Downstream, breakpoint: Publishers.Breakpoint<Upstream>) {
      self.downstream = downstream
      self.breakpoint = breakpoint
    }

    @inlinable
    var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
    @inlinable
    var description: String { "Breakpoint" }

    @inlinable
    func receive(subscription: any Subscription) {
      if breakpoint.receiveSubscription?(subscription) == true { stopInDebugger() }
      downstream.receive(subscription: subscription)
    }

    @inlinable @inline(__always)
    func receive(_ input: Output) -> Subscribers.Demand {
      if breakpoint.receiveOutput?(input) == true { stopInDebugger() }
      return downstream.receive(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      if breakpoint.receiveCompletion?(completion) == true { stopInDebugger() }
      downstream.receive(completion: completion)
    }
  }
}

/// Sends the process `SIGTRAP`.
///
/// The runtime's crash reporter, which Swift tests have, takes the signal, gives it back and relies
/// on its coming again; one that is sent does so only when it is sent again.
@usableFromInline
func stopInDebugger() {
  let wasReported = isTrapHandled()
  raise(SIGTRAP)
  if wasReported, !isTrapHandled() { raise(SIGTRAP) }
}

private func isTrapHandled() -> Bool {
  var action = sigaction()
  unsafe sigaction(SIGTRAP, nil, &action)
  return unsafe action.__sigaction_handler.sa_handler != nil
}
