extension Publisher {
  /// Sends `output` before the end if this publisher finishes without a value.
  ///
  ///     source                   -----|
  ///     replaceEmpty(with: 0)    -----0|
  ///
  /// The value waits for demand. Values, demand and failures pass through.
  @inlinable
  public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
    Publishers.ReplaceEmpty(upstream: self, output: output)
  }
}

extension Publishers {
  /// See `replaceEmpty(with:)`.
  public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher that may have no values.
    public let upstream: Upstream
    /// The value that is published if there is none.
    public let output: Output

    /// Creates a publisher of the values of `upstream`, or of `output` if it finishes without one.
    @inlinable
    public init(upstream: Upstream, output: Output) {
      self.upstream = upstream
      self.output = output
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(subscriber, output))
    }
  }
}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Output: Equatable {}

extension Publishers.ReplaceEmpty {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: Subscriber, Subscription,
    _SelfDescribing
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline let output: Output
    @usableFromInline let lock = Lock()
    // memory 5: for whoever is inside.
    @safe @exclusivity(unchecked) @usableFromInline var state: State

    @usableFromInline
    struct State {
      @usableFromInline var upstream: (any Subscription)?
      @usableFromInline var isRequested = false
      @usableFromInline var isEmpty = true
      /// Finished without a value, and waiting for demand.
      @usableFromInline var isReady = false
      @usableFromInline var downstream: Downstream?

      @inlinable @inline(__always)
      init(_ downstream: Downstream) { self.downstream = downstream }
    }

    @inlinable
    init(_ downstream: Downstream, _ output: Output) {
      state = State(downstream)
      self.output = output
    }

    @inlinable
    var description: String { "ReplaceEmpty" }

    @inlinable
    func receive(subscription: any Subscription) {
      let downstream: Downstream? = lock.withLock {
        guard state.upstream == nil, let downstream = state.downstream else { return nil }
        state.upstream = subscription
        return downstream
      }
      guard let downstream else { return subscription.cancel() }
      downstream.receive(subscription: self)
    }

    @inlinable
    func receive(_ input: Output) -> Subscribers.Demand {
      let downstream: Downstream? = lock.withLock {
        guard state.upstream != nil else { return nil }
        state.isEmpty = false
        return state.downstream
      }
      return downstream?.receive(input) ?? .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard lock.withLock({ state.upstream != nil }) else { return }
      switch completion {
      case .failure: end()?.downstream.receive(completion: completion)
      case .finished:
        let hasFinished: (isEmpty: Bool, mayEnd: Bool) = lock.withLock {
          state.upstream = nil
          state.isReady = state.isEmpty
          return (state.isEmpty, !state.isEmpty || state.isRequested)
        }
        if hasFinished.mayEnd { finish(isEmpty: hasFinished.isEmpty) }
      }
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      let (upstream, isReady) = lock.withLock {
        state.isRequested = true
        return (state.upstream, state.isReady)
      }
      if isReady { finish(isEmpty: true) } else { upstream?.request(demand) }
    }

    @inlinable
    func cancel() { end()?.upstream?.cancel() }

    @inlinable
    func finish(isEmpty: Bool) {
      guard let (_, downstream) = end() else { return }
      if isEmpty { _ = downstream.receive(output) }
      downstream.receive(completion: .finished)
    }

    /// Takes both sides out, once.
    @inlinable
    func end() -> (upstream: (any Subscription)?, downstream: Downstream)? {
      lock.withLock {
        guard let downstream = state.downstream else { return nil }
        defer {
          state.downstream = nil
          state.upstream = nil
        }
        return (state.upstream, downstream)
      }
    }
  }
}
