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
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Never {
      upstream.receive(subscriber: Inner(subscriber, output))
    }
  }
}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Output: Equatable {}

extension Publishers.ReplaceError {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: LinkSubscription<Downstream>, Subscriber
  where Downstream.Input == Output, Downstream.Failure == Never {
    @usableFromInline typealias Failure = Upstream.Failure

    @usableFromInline let output: Output
    /// What has been asked for and not been sent; raised with the lock held, or with a value.
    @usableFromInline let asked = DemandCounter()
    @usableFromInline let lock = Lock()
    /// Whether it has failed, and waits for demand; the lock guards it (memory 5).
    @safe @exclusivity(unchecked) @usableFromInline var hasFailed = false

    @inlinable @inline(__always)
    init(_ downstream: Downstream, _ output: Output) {
      self.output = output
      super.init(downstream) { object, count in
        let me = unsafe unsafeDowncast(object, to: Inner.self)  // memory 7
        if count > 0 { me.ask(count) } else if me.uses.hasStarted { me.close() }
      }
    }

    @usableFromInline
    override var description: String { "ReplaceError" }

    @inlinable
    func receive(subscription: any Subscription) { introduce(with: subscription) }

    @inlinable @inline(__always)
    func receive(_ input: Output) -> Subscribers.Demand {
      guard uses.hasUpstream, uses.begin() else { return .none }
      defer { endUse() }
      if asked.current > 0 { _ = asked.subtract(1) }
      let more = send(input)
      if more > 0 { _ = asked.add(more._count) }
      return more
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard uses.hasUpstream else { return }
      guard case .failure = completion else { return pass(.finished) }
      let isDemanded = lock.withLock {
        hasFailed = uses.endUpstream()
        return hasFailed && asked.current > 0
      }
      if isDemanded { replace() }
    }

    @inlinable
    func ask(_ count: Int) {
      let hasFailed = lock.withLock {
        _ = asked.add(count)
        return self.hasFailed
      }
      if hasFailed { replace() } else { askUpstream(Subscribers.Demand(_count: count)) }
    }

    /// Sends what takes the place of the failure, once.
    @inlinable
    func replace() {
      let isMine = lock.withLock {
        defer { hasFailed = false }
        return hasFailed
      }
      guard isMine, uses.begin() else { return }
      defer { endUse() }
      _ = send(output)
      finish(.finished)
    }
  }
}
