extension Publisher {
  /// Transforms each value and leaves out what becomes `nil`.
  ///
  ///     source                    --1--x--3--|
  ///     compactMap { Int($0) }    --1-----3--|
  ///
  /// Requests one more value for each one it leaves out.
  @inlinable @inline(__always)
  public func compactMap<T>(
    _ transform: @escaping (Output) -> T?
  ) -> Publishers.CompactMap<Self, T> {
    Publishers.CompactMap(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// See `compactMap(_:)`.
  @frozen
  public struct CompactMap<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// Makes what is published of a value, or `nil` to leave it out; called once for each.
    public let transform: (Upstream.Output) -> Output?

    /// Creates a publisher of what `transform` makes of the values of `upstream`, without `nil`.
    @inlinable @inline(__always)
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: _CompactMapSubscriber(subscriber, transform))
    }
  }
}

extension Publishers.CompactMap {
  /// Joins two transforms in a row into one.
  @inlinable @inline(__always)
  public func compactMap<T>(
    _ transform: @escaping (Output) -> T?
  ) -> Publishers.CompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) {
      first($0).flatMap(transform)
    }
  }

  /// Joins two transforms in a row into one.
  @inlinable @inline(__always)
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.CompactMap<Upstream, T> {
    let first = self.transform
    return Publishers.CompactMap<Upstream, T>(upstream: upstream) { first($0).map(transform) }
  }
}

@frozen
@usableFromInline
struct _CompactMapSubscriber<Input, Downstream: Subscriber>: Subscriber, _SelfDescribing {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: (Input) -> Downstream.Input?

  @inlinable @inline(__always)
  init(_ downstream: Downstream, _ transform: @escaping (Input) -> Downstream.Input?) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @usableFromInline
  var description: String { "CompactMap" }

  @inlinable @inline(__always)
  func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard let output = transform(input) else { return .max(1) }
    return downstream.receive(output)
  }

  @inlinable @inline(__always)
  func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}

extension Publishers.CompactMap {
  /// As immediate as the upstream, since a transform waits for nothing.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { Upstream._immediacy }

  /// No more than the upstream.
  @inlinable @inline(__always)
  public var _atMost: Int { upstream._atMost }

  /// That of the upstream, with what becomes of its values.
  @inlinable @inline(__always)
  public var _cursor: _CompactMapCursor<Upstream._Cursor, Output>? {
    upstream._cursor.map { _CompactMapCursor($0, transform) }
  }

  /// Hands over what becomes of the upstream's values, without those that become `nil`.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    unsafe upstream._handOver { input in
      guard let output = unsafe transform(input.pointee) else { return true }
      return unsafe withUnsafePointer(to: output, take)
    }
  }
}
