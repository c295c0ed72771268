extension Publisher {
  /// Republishes the values that pass a test.
  ///
  ///     source              --1--2--3--4--|
  ///     filter { $0 > 2 }   --------3--4--|
  ///
  /// Requests one more value for each one that does not pass.
  @inlinable @inline(__always)
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
    Publishers.Filter(upstream: self, isIncluded: isIncluded)
  }
}

extension Publishers {
  /// See `filter(_:)`.
  @frozen
  public struct Filter<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are tested.
    public let upstream: Upstream
    /// Whether a value is republished; called once for each, on the thread that delivers it.
    public let isIncluded: (Output) -> Bool

    /// Creates a publisher of those values of `upstream` that `isIncluded` accepts.
    @inlinable @inline(__always)
    public init(upstream: Upstream, isIncluded: @escaping (Output) -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: _FilterSubscriber(subscriber, isIncluded))
    }
  }
}

extension Publishers.Filter {
  /// Joins two tests in a row into one.
  @inlinable @inline(__always)
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Upstream> {
    let first = self.isIncluded
    return Publishers.Filter(upstream: upstream) { first($0) && isIncluded($0) }
  }

  /// As `filter(_:)`, but an error thrown becomes the failure.
  @inlinable
  public func tryFilter(
    _ isIncluded: @escaping (Output) throws -> Bool
  ) -> Publishers.TryFilter<Upstream> {
    let first = self.isIncluded
    return Publishers.TryFilter(upstream: upstream) { try first($0) && isIncluded($0) }
  }
}

@frozen
@usableFromInline
struct _FilterSubscriber<Downstream: Subscriber>: Subscriber, _SelfDescribing {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let isIncluded: (Input) -> Bool

  @inlinable @inline(__always)
  init(_ downstream: Downstream, _ isIncluded: @escaping (Input) -> Bool) {
    self.downstream = downstream
    self.isIncluded = isIncluded
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @usableFromInline
  var description: String { "Filter" }

  @inlinable @inline(__always)
  func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    isIncluded(input) ? downstream.receive(input) : .max(1)
  }

  @inlinable @inline(__always)
  func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}

extension Publishers.Filter {
  /// As immediate as the upstream, since a test waits for nothing.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { Upstream._immediacy }

  /// No more than the upstream.
  @inlinable @inline(__always)
  public var _atMost: Int { upstream._atMost }

  /// That of the upstream, with those of its values that pass the test.
  @inlinable @inline(__always)
  public var _cursor: _FilterCursor<Upstream._Cursor>? {
    upstream._cursor.map { _FilterCursor($0, isIncluded) }
  }

  /// Hands over those of the upstream's values that pass the test.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    unsafe upstream._handOver { unsafe isIncluded($0.pointee) ? take($0) : true }
  }
}
