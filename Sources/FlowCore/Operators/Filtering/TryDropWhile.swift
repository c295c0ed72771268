extension Publisher {
  /// Leaves out values while `predicate` holds; an error thrown becomes the failure.
  ///
  /// For demand and the end see `drop(while:)`. The error also cancels the upstream.
  @inlinable
  public func tryDrop(
    while predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryDropWhile<Self> {
    Publishers.TryDropWhile(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `tryDrop(while:)`.
  public struct TryDropWhile<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    /// The upstream's failure, or what `predicate` throws.
    public typealias Failure = any Error

    /// The publisher whose first values are tested.
    public let upstream: Upstream
    /// Whether a value is left out; not called again once it has returned false or thrown.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates a publisher that leaves out values of `upstream` until `predicate` returns false.
    ///
    /// If `predicate` throws, the upstream is cancelled and the error is published.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) throws -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(throwingThrough: "TryDropWhile", subscriber, true) {
        [predicate] isDropping, input in
        if isDropping, try predicate(input) { return .skip }
        isDropping = false
        return .emit(input)
      }
    }
  }
}
