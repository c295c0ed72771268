extension Publisher {
  /// Turns each value into a publisher, and republishes these one after the other.
  ///
  ///     source                                --1--2------|
  ///     concatMap { [$0, $0].delayed }        --1--1--2--2|
  ///
  /// It is `flatMap(maxPublishers: .max(1), transform)`: the next value is asked for when the
  /// publisher before has finished and its last value has been taken.
  @inlinable @inline(__always)
  @_disfavoredOverload
  public func concatMap<P: Publisher>(_ transform: @escaping (Output) -> P)
    -> Publishers.FlatMap<P, Self> where P.Failure == Failure
  {
    flatMap(maxPublishers: .max(1), transform)
  }

  /// Turns each value into a publisher that cannot fail, one after the other.
  @inlinable @inline(__always)
  @_disfavoredOverload
  public func concatMap<P: Publisher>(_ transform: @escaping (Output) -> P)
    -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never
  {
    flatMap(maxPublishers: .max(1), transform)
  }
}

extension Publisher where Failure == Never {
  /// Turns each value into a publisher, one after the other, where neither can fail.
  @inlinable @inline(__always)
  @_disfavoredOverload
  public func concatMap<P: Publisher>(_ transform: @escaping (Output) -> P)
    -> Publishers.FlatMap<P, Self> where P.Failure == Never
  {
    flatMap(maxPublishers: .max(1), transform)
  }

  /// Turns each value of a publisher that cannot fail into one that can, one after the other.
  @inlinable @inline(__always)
  @_disfavoredOverload
  public func concatMap<P: Publisher>(_ transform: @escaping (Output) -> P)
    -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>>
  {
    flatMap(maxPublishers: .max(1), transform)
  }
}
