extension Publisher {
  /// Republishes values while `predicate` holds, then finishes; an error thrown becomes the
  /// failure.
  ///
  /// For demand and the end see `prefix(while:)`. The error also cancels the upstream.
  @inlinable
  public func tryPrefix(
    while predicate: @escaping (Output) throws -> Bool
  ) -> Publishers.TryPrefixWhile<Self> {
    Publishers.TryPrefixWhile(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `tryPrefix(while:)`.
  public struct TryPrefixWhile<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    /// The upstream's failure, or what `predicate` throws.
    public typealias Failure = any Error

    /// The publisher whose first values are republished.
    public let upstream: Upstream
    /// Whether a value is republished; the first one for which it returns false is the end.
    public let predicate: (Upstream.Output) throws -> Bool

    /// Creates a publisher of the values of `upstream` before the first that `predicate` refuses.
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
      upstream.receive(throwingThrough: .filtering("TryPrefixWhile"), subscriber, ()) {
        [predicate] _, input in
        try predicate(input) ? .emit(input) : .finish
      }
    }
  }
}
