extension Publisher {
  /// Republishes the first `maxLength` values, then finishes and cancels the upstream.
  ///
  ///     source         --1--2--3--|
  ///     prefix(2)      --1--2|
  ///
  /// Never more than `maxLength` values are asked for. `prefix(0)` finishes at once.
  public func prefix(_ maxLength: Int) -> Publishers.Prefix<Self> {
    precondition(maxLength >= 0, "maxLength is \(maxLength), expected 0 or more")
    return Publishers.Prefix(upstream: self, maxLength: maxLength)
  }
}

extension Publishers {
  /// See `prefix(_:)`.
  public struct Prefix<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let maxLength: Int

    public init(upstream: Upstream, maxLength: Int) {
      self.upstream = upstream
      self.maxLength = maxLength
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(downstream: subscriber, left: maxLength))
    }
  }
}

extension Publishers.Prefix: Equatable where Upstream: Equatable {}

extension Publishers.Prefix {
  private final class Inner<Downstream: Subscriber>: Subscriber, Subscription,
    _SelfDescribing
  where Downstream.Input == Output, Downstream.Failure == Failure {
    private let lock = Lock()
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var left: Int
    private var requestable: Int

    init(downstream: Downstream, left: Int) {
      self.downstream = downstream
      self.left = left
      requestable = left
    }

    var description: String { "Prefix" }

    func receive(subscription: any Subscription) {
      let (downstream, isEmpty) = lock.withLock {
        guard upstream == nil, let downstream = self.downstream else {
          return (nil as Downstream?, false)
        }
        upstream = subscription
        return (downstream, left == 0)
      }
      guard let downstream else { return subscription.cancel() }
      downstream.receive(subscription: self)
      if isEmpty { finish() }
    }

    func receive(_ input: Output) -> Subscribers.Demand {
      let (downstream, isLast) = lock.withLock {
        left -= 1
        return (self.downstream, left == 0)
      }
      guard let downstream else { return .none }
      let more = downstream.receive(input)
      if isLast {
        finish()
        return .none
      }
      return allowed(more)
    }

    func receive(completion: Subscribers.Completion<Failure>) {
      end()?.downstream.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      let demand = allowed(demand)
      if demand > 0 { lock.withLock { upstream }?.request(demand) }
    }

    func cancel() { end()?.upstream?.cancel() }

    /// As much of `demand` as may still be asked for.
    private func allowed(_ demand: Subscribers.Demand) -> Subscribers.Demand {
      lock.withLock {
        let count = min(demand._count, requestable)
        requestable -= count
        return .max(count)
      }
    }

    private func finish() {
      guard let (upstream, downstream) = end() else { return }
      upstream?.cancel()
      downstream.receive(completion: .finished)
    }

    private func end() -> (upstream: (any Subscription)?, downstream: Downstream)? {
      lock.withLock {
        guard let downstream else { return nil }
        defer {
          self.downstream = nil
          upstream = nil
        }
        return (upstream, downstream)
      }
    }
  }
}
