extension Publisher {
  /// Publishes `output` in the place of each `nil`.
  ///
  ///     source                  --1--n--3--|
  ///     replaceNil(with: 0)     --1--0--3--|
  ///
  /// Demand and completion pass through.
  @inlinable
  public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
    Publishers.Map(upstream: self) { $0 ?? output }
  }
}
