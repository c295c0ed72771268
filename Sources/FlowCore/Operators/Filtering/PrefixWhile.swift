extension Publisher {
  /// Republishes values while `predicate` holds, then finishes.
  ///
  ///     source                 --1--2--5--3--|
  ///     prefix(while: <4)      --1--2--|
  ///
  /// The first value that fails is dropped and the upstream is cancelled. Demand passes through.
  @inlinable
  public func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
    Publishers.PrefixWhile(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `prefix(while:)`.
  public struct PrefixWhile<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose first values are republished.
    public let upstream: Upstream
    /// Whether a value is republished; the first one for which it returns false is the end.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher of the values of `upstream` before the first that `predicate` refuses.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let predicate = predicate
      upstream.receive(through: .filtering("PrefixWhile"), subscriber, ()) {
        _,
        input in
        predicate(input) ? .emit(input) : .finish
      }
    }
  }
}
