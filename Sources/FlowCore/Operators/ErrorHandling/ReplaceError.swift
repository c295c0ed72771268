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
    @safe @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
    @safe @exclusivity(unchecked) @usableFromInline var upstream: (any Subscription)?
    @safe @exclusivity(unchecked) @usableFromInline var hasStarted = false
    @safe @exclusivity(unchecked) @usableFromInline var demand = Subscribers.Demand.none
    /// Failed, and waiting for demand.
    @safe @exclusivity(unchecked) @usableFromInline var hasFailed = false

    @inlinable
    init(_ downstream: Downstream, _ output: Output) {
      self.downstream = downstream
      self.output = output
    }

    @inlinable
    var description: String { "ReplaceError" }

    @inlinable
    func receive(subscription: any Subscription) {
      let downstream: Downstream? = lock.withLock {
        guard !hasStarted, let downstream = self.downstream else { return nil }
        hasStarted = true
        upstream = subscription
        return downstream
      }
      guard let downstream else { return subscription.cancel() }
      downstream.receive(subscription: self)
    }

    @inlinable
    func receive(_ input: Output) -> Subscribers.Demand {
      let downstream: Downstream? = lock.withLock {
        guard upstream != nil, let downstream = self.downstream else { return nil }
        precondition(demand > 0, "ReplaceError got a value that it has not asked for")
        demand -= 1
        return downstream
      }
      guard let more = downstream?.receive(input), more > 0 else { return .none }
      lock.withLock { demand += more }
      return more
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      let isFailure = if case .failure = completion { true } else { false }
      let (upstream, isDemanded) = lock.withLock {
        if self.upstream != nil { hasFailed = isFailure }
        return (self.upstream.take(), demand > 0)
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
        self.demand += demand
        return (self.upstream, self.hasFailed)
      }
      if hasFailed { replace() } else { upstream?.request(demand) }
    }

    @inlinable
    func cancel() {
      // Nobody has been given it to cancel before there is an upstream.
      guard lock.withLock({ hasStarted }) else { return }
      end().upstream?.cancel()
    }

    @inlinable
    func replace() {
      let downstream: Downstream? = lock.withLock {
        guard hasFailed else { return nil }
        hasFailed = false
        return self.downstream
      }
      _ = downstream?.receive(output)
      end().downstream?.receive(completion: .finished)
    }

    @inlinable
    func end() -> (upstream: (any Subscription)?, downstream: Downstream?) {
      lock.withLock {
        defer {
          upstream = nil
          downstream = nil
        }
        return (upstream, downstream)
      }
    }
  }
}
