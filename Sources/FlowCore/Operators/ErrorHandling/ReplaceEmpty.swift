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
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(subscriber, output))
    }
  }
}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Output: Equatable {}

extension Publishers.ReplaceEmpty {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: LinkSubscription<Downstream>, Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline let output: Output
    @usableFromInline let lock = Lock()
    // The lock guards these (memory 5).
    @safe @exclusivity(unchecked) @usableFromInline var isRequested = false
    /// Finished without a value, and waiting for demand.
    @safe @exclusivity(unchecked) @usableFromInline var isReady = false
    /// Touched only by the upstream's signals.
    @safe @exclusivity(unchecked) @usableFromInline var isEmpty = true

    @inlinable @inline(__always)
    init(_ downstream: Downstream, _ output: Output) {
      self.output = output
      super.init(downstream) { object, count in
        let me = unsafe unsafeDowncast(object, to: Inner.self)  // memory 7
        if count < 0 { me.close() } else { me.ask(Subscribers.Demand(_count: count)) }
      }
    }

    @usableFromInline
    override var description: String { "ReplaceEmpty" }

    @inlinable
    func receive(subscription: any Subscription) { introduce(with: subscription) }

    @inlinable @inline(__always)
    func receive(_ input: Output) -> Subscribers.Demand {
      guard uses.hasUpstream, uses.begin() else { return .none }
      defer { endUse() }
      isEmpty = false
      return send(input)
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard uses.hasUpstream else { return }
      guard case .finished = completion, isEmpty else { return pass(completion) }
      let isRequested = lock.withLock {
        isReady = uses.endUpstream()
        return self.isRequested
      }
      if isRequested { sendOutput() }
    }

    @inlinable
    func ask(_ demand: Subscribers.Demand) {
      let isReady = lock.withLock {
        isRequested = true
        return self.isReady
      }
      if isReady { sendOutput() } else { askUpstream(demand) }
    }

    /// Sends what takes the place of the values that have not come, once.
    @inlinable
    func sendOutput() {
      let isMine = lock.withLock {
        defer { isReady = false }
        return isReady
      }
      guard isMine, uses.begin() else { return }
      defer { endUse() }
      _ = send(output)
      finish(.finished)
    }
  }
}
