extension Publisher {
  /// Republishes the first value, then finishes and cancels the upstream.
  ///
  ///     source       --1--2--3--|
  ///     first()      --1|
  ///
  /// Requests everything at once; the value waits for demand.
  @inlinable
  public func first() -> Publishers.First<Self> { Publishers.First(upstream: self) }
}

extension Publishers {
  /// See `first()`.
  public struct First<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose first value is republished.
    public let upstream: Upstream

    /// Creates a publisher of the first value of `upstream`.
    @inlinable
    public init(upstream: Upstream) {
      self.upstream = upstream
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.firstWhere(.reducing("First"), subscriber) { _ in true }
    }
  }
}

extension Publishers.First: Equatable where Upstream: Equatable {}
