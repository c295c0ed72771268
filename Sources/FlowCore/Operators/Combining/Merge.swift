extension Publisher {
  /// Republishes the values of this and another publisher as they come.
  ///
  ///     a                --1-----3--|
  ///     b                -----2--------4|
  ///     a.merge(with: b) --1--2--3-----4|
  ///
  /// Under a limited demand each is asked for one value at a time. A failure ends both.
  @inlinable
  public func merge<P: Publisher>(with other: P) -> Publishers.Merge<Self, P>
  where P.Output == Output, P.Failure == Failure {
    Publishers.Merge(self, other)
  }

  /// Republishes the values of this and another publisher of the same type as they come.
  @inlinable
  public func merge(with other: Self) -> Publishers.MergeMany<Self> {
    Publishers.MergeMany(self, other)
  }
}

extension Publishers {
  /// See `merge(with:)`.
  public struct Merge<A: Publisher, B: Publisher>: Publisher
  where A.Output == B.Output, A.Failure == B.Failure {
    public typealias Output = A.Output
    public typealias Failure = A.Failure

    /// The publisher that is subscribed to first.
    public let a: A
    /// The publisher that is subscribed to second.
    public let b: B

    /// Creates a publisher of the values of `a` and `b`, in the order in which they come.
    @inlinable
    public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    /// Sends `subscriber` its subscription, then subscribes to all publishers in order.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      MergeMany(a.eraseToAnyPublisher(), b.eraseToAnyPublisher()).receive(subscriber: subscriber)
    }

    /// Merges one more publisher.
    @inlinable
    public func merge<P: Publisher>(with other: P) -> Merge3<A, B, P> { Merge3(a, b, other) }
  }

  /// Republishes the values of several publishers as they come.
  ///
  /// It is a `flatMap` over the publishers, with the same rules of demand and of ending.
  public struct MergeMany<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publishers, in the order in which they are subscribed to.
    public let publishers: [Upstream]

    /// Creates a publisher of the values of all `upstream`s, in the order in which they come.
    @inlinable
    public init(_ upstream: Upstream...) { publishers = upstream }

    /// Creates a publisher of the values of all publishers in a sequence, in the order in which
    /// they come.
    @inlinable
    public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream {
      publishers = Array(upstream)
    }

    /// Sends `subscriber` its subscription, then subscribes to all publishers in order.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let inner = _FlatMapSubscription<Upstream, Upstream, S>(
        "Merge",
        subscriber,
        limit: .max,
        transform: { $0 }
      )
      subscriber.receive(subscription: inner)
      Publishers.Sequence<[Upstream], Failure>(sequence: publishers).receive(subscriber: inner)
    }

    /// Merges one more publisher.
    @inlinable
    public func merge(with other: Upstream) -> MergeMany<Upstream> {
      MergeMany(publishers + [other])
    }
  }
}

extension Publishers.Merge: Equatable where A: Equatable, B: Equatable {}
extension Publishers.MergeMany: Equatable where Upstream: Equatable {
  /// Whether both merge the same publishers, in the same order.
  public static func == (one: Self, other: Self) -> Bool { one.publishers == other.publishers }
}
