extension Publisher {
  /// Subscribes again when this publisher fails, up to `retries` times.
  ///
  ///     source (fails twice)   --1--✕  --1--✕  --1--2--|
  ///     retry(3)               --1-------1-------1--2--|
  ///
  /// Demand that is not met is carried over; the failure after the last try passes through.
  @inlinable
  public func retry(_ retries: Int) -> Publishers.Retry<Self> {
    Publishers.Retry(upstream: self, retries: retries)
  }
}

extension Publishers {
  /// See `retry(_:)`.
  public struct Retry<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher that is subscribed to again.
    public let upstream: Upstream
    /// How many times to subscribe again; `nil` or a negative number is without end.
    public let retries: Int?

    /// Creates a publisher that subscribes to `upstream` again when that fails.
    @inlinable
    public init(upstream: Upstream, retries: Int?) {
      self.upstream = upstream
      self.retries = retries
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let upstream = upstream
      let source: Resubscriber<Failure, S>.Source = { upstream.receive(subscriber: $0) }
      var left = retries
      let inner = Resubscriber<Failure, S>("Retry", .retry, subscriber) { error in
        if let count = left, count >= 0 {
          guard count > 0 else { return .fail(error) }
          left = count - 1
        }
        return .subscribe(source)
      }
      inner.subscribe(to: source)
    }
  }
}

extension Publishers.Retry: Equatable where Upstream: Equatable {}
