extension Publisher {
  /// Publishes the result of combining all values when the upstream finishes.
  ///
  ///     source           --1--2--3--|
  ///     reduce(0, +)     -----------6|
  ///
  /// Requests everything at once; the result waits for demand.
  @inlinable
  public func reduce<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Reduce<Self, T> {
    Publishers.Reduce(
      upstream: self,
      initial: initialResult,
      nextPartialResult: nextPartialResult
    )
  }

  /// Publishes all values in one array when the upstream finishes.
  ///
  /// Requests everything at once, so the array has no bound; it waits for demand. A failure
  /// discards it.
  @inlinable
  public func collect() -> Publishers.Collect<Self> { Publishers.Collect(upstream: self) }

  /// Republishes the last value when the upstream finishes; nothing if there was none.
  ///
  /// Requests everything at once; the value waits for demand.
  @inlinable
  public func last() -> Publishers.Last<Self> { Publishers.Last(upstream: self) }
}

extension Publishers {
  /// See `reduce(_:_:)`.
  public struct Reduce<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are combined.
    public let upstream: Upstream
    /// The result if there is no value, and what the first value is combined with.
    public let initial: Output
    /// Combines the result so far with a value; called once for each, on the thread that delivers
    /// it.
    public let nextPartialResult: (Output, Upstream.Output) -> Output

    /// Creates a publisher of the combination of all values of `upstream`.
    ///
    /// `initial` is published as it is if there is no value.
    @inlinable
    public init(
      upstream: Upstream,
      initial: Output,
      nextPartialResult: @escaping (Output, Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.initial = initial
      self.nextPartialResult = nextPartialResult
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let next = nextPartialResult
      let inner = ReducingSubscriber<Upstream.Output, Failure, Output, S>(
        .reducing("Reduce"),
        subscriber,
        initial,
        mapFailure: { $0 },
        step: { result, input in
          result = next(result, input)
          return nil
        },
        result: { $0 }
      )
      upstream.receive(subscriber: inner)
    }
  }

  /// See `collect()`.
  public struct Collect<Upstream: Publisher>: Publisher {
    /// One array of all values, in order; an empty one if there was none.
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are collected.
    public let upstream: Upstream

    /// Creates a publisher of all values of `upstream` in one array.
    ///
    /// The array has no bound: it grows until the upstream ends.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let inner = ReducingSubscriber<Upstream.Output, Failure, Output, S>(
        StageName("Collect", showing: [.count]),
        subscriber,
        [],
        mapFailure: { $0 },
        step: { values, input in
          values.append(input)
          return nil
        },
        result: { $0 }
      )
      upstream.receive(subscriber: inner)
    }
  }

  /// See `last()`.
  public struct Last<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose last value is republished.
    public let upstream: Upstream

    /// Creates a publisher of the last value of `upstream`.
    @inlinable
    public init(upstream: Upstream) { self.upstream = upstream }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let inner = ReducingSubscriber<Output, Failure, Output?, S>(
        .reducing("Last"),
        subscriber,
        nil,
        mapFailure: { $0 },
        step: { last, input in
          last = input
          return nil
        },
        result: { $0 }
      )
      upstream.receive(subscriber: inner)
    }
  }
}

extension Publishers.Collect: Equatable where Upstream: Equatable {}
extension Publishers.Last: Equatable where Upstream: Equatable {}
