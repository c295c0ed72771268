extension Publisher {
  /// Sends `output` and finishes when this publisher fails.
  ///
  ///     source                   --1--✕
  ///     replaceError(with: 0)    --1--0|
  ///
  /// The value waits for demand.
  @inlinable
  public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
    Publishers.ReplaceError(upstream: self, output: output)
  }
}

extension Publishers {
  /// See `replaceError(with:)`.
  public struct ReplaceError<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    /// None: `output` takes the place of the failure.
    public typealias Failure = Never

    /// The publisher whose failure is replaced.
    public let upstream: Upstream
    /// The value that is published in the place of the failure.
    public let output: Output

    /// Creates a publisher of the values of `upstream`, and of `output` if it fails.
    @inlinable
    public init(upstream: Upstream, output: Output) {
      self.upstream = upstream
      self.output = output
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Never {
      upstream.receive(subscriber: Inner(subscriber, output))
    }
  }
}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Output: Equatable {}

extension Publishers.ReplaceError {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: Subscriber, Subscription, _SelfDescribing
  where Downstream.Input == Output, Downstream.Failure == Never {
    @usableFromInline typealias Failure = Upstream.Failure

    @usableFromInline let output: Output
    @usableFromInline let lock = Lock()
    // memory 5: for whoever is inside.
    @safe @exclusivity(unchecked) @usableFromInline var state: State

    @usableFromInline
    struct State {
      @usableFromInline var upstream: (any Subscription)?
      @usableFromInline var demand = Subscribers.Demand.none
      @usableFromInline var hasStarted = false
      /// Failed, and waiting for demand.
      @usableFromInline var hasFailed = false
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
    var description: String { "ReplaceError" }

    @inlinable
    func receive(subscription: any Subscription) {
      let downstream: Downstream? = lock.withLock {
        guard !state.hasStarted, let downstream = state.downstream else { return nil }
        state.hasStarted = true
        state.upstream = subscription
        return downstream
      }
      guard let downstream else { return subscription.cancel() }
      downstream.receive(subscription: self)
    }

    @inlinable
    func receive(_ input: Output) -> Subscribers.Demand {
      let downstream: Downstream? = lock.withLock {
        guard state.upstream != nil, let downstream = state.downstream else { return nil }
        precondition(state.demand > 0, "ReplaceError got a value that it has not asked for")
        state.demand -= 1
        return downstream
      }
      guard let more = downstream?.receive(input), more > 0 else { return .none }
      lock.withLock { state.demand += more }
      return more
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let isFailure = if case .failure = completion { true } else { false }
      let (upstream, isDemanded) = lock.withLock {
        if state.upstream != nil { state.hasFailed = isFailure }
        return (state.upstream.take(), state.demand > 0)
      }
      guard upstream != nil else { return }
      if !isFailure {
        end().downstream?.receive(completion: .finished)
      } else if isDemanded {
        replace()
      }
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      let (upstream, hasFailed) = lock.withLock {
        state.demand += demand
        return (state.upstream, state.hasFailed)
      }
      if hasFailed { replace() } else { upstream?.request(demand) }
    }

    @inlinable
    func cancel() {
      // Nobody has been given it to cancel before there is an upstream.
      guard lock.withLock({ state.hasStarted }) else { return }
      end().upstream?.cancel()
    }

    @inlinable
    func replace() {
      let downstream: Downstream? = lock.withLock {
        guard state.hasFailed else { return nil }
        state.hasFailed = false
        return state.downstream
      }
      _ = downstream?.receive(output)
      end().downstream?.receive(completion: .finished)
    }

    @inlinable
    func end() -> (upstream: (any Subscription)?, downstream: Downstream?) {
      lock.withLock {
        defer {
          state.upstream = nil
          state.downstream = nil
        }
        return (state.upstream, state.downstream)
      }
    }
  }
}
