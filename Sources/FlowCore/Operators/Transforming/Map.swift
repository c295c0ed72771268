extension Publisher {
  /// Transforms each value.
  ///
  ///     source         --1--2--3--|
  ///     map { $0 * 2 } --2--4--6--|
  ///
  /// Demand and completion pass through.
  @inlinable @inline(__always)
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
    Publishers.Map(upstream: self, transform: transform)
  }
}

extension Publishers {
  /// See `map(_:)`.
  @frozen
  @safe  // memory 8
  public struct Map<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are transformed.
    public let upstream: Upstream
    /// Makes what is published of a value; called once for each, on the thread that delivers it.
    public let transform: (Upstream.Output) -> Output
    /// Made for an erased upstream while the optimiser can still look into `transform`.
    @usableFromInline let madeDriver: _Driver<Output, Failure>?

    /// Creates a publisher of what `transform` makes of the values of `upstream`.
    @inlinable @inline(__always)
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
      self.upstream = upstream
      self.transform = transform
      unsafe madeDriver = unsafe Self.makeDriver(upstream, transform)
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: _MapSubscriber(subscriber, transform))
    }
  }
}

extension Publishers.Map {
  /// Joins two transforms in a row into one, so that nothing stands between them at run time.
  @inlinable @inline(__always)
  public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Upstream, T> {
    let first = self.transform
    return Publishers.Map<Upstream, T>(upstream: upstream) { transform(first($0)) }
  }

  /// As `map(_:)`, but an error thrown becomes the failure.
  @inlinable
  public func tryMap<T>(
    _ transform: @escaping (Output) throws -> T
  ) -> Publishers.TryMap<Upstream, T> {
    let first = self.transform
    return Publishers.TryMap(upstream: upstream) { try transform(first($0)) }
  }
}

@frozen
@usableFromInline
struct _MapSubscriber<Input, Downstream: Subscriber>: Subscriber, _SelfDescribing {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: (Input) -> Downstream.Input

  @inlinable @inline(__always)
  init(_ downstream: Downstream, _ transform: @escaping (Input) -> Downstream.Input) {
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @usableFromInline
  var description: String { "Map" }

  @inlinable @inline(__always)
  func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(transform(input)) }

  @inlinable @inline(__always)
  func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}

extension Publishers.Map {
  /// As immediate as the upstream, since a transform waits for nothing.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { Upstream._immediacy }

  /// As many as the upstream, since each value becomes one.
  @inlinable @inline(__always)
  public var _atMost: Int { upstream._atMost }

  /// That of the upstream, with what becomes of its values.
  @inlinable @inline(__always)
  public var _cursor: _MapCursor<Upstream._Cursor, Output>? {
    upstream._cursor.map { _MapCursor($0, transform) }
  }

  /// Hands over what becomes of the upstream's values.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    unsafe upstream._handOver { unsafe withUnsafePointer(to: transform($0.pointee), take) }
  }

  @inlinable @inline(__always)
  static func makeDriver(_ upstream: Upstream, _ transform: @escaping (Upstream.Output) -> Output)
    -> _Driver<Output, Failure>?
  {
    guard Upstream._immediacy == .maybe, let drive = unsafe upstream._driver else { return nil }
    return { take in unsafe drive { unsafe withUnsafePointer(to: transform($0.pointee), take) } }
  }

  /// What hands over the transformed values, made when this publisher was if the upstream is
  /// erased.
  @inlinable @inline(__always)
  public var _driver: _Driver<Output, Failure>? {
    Upstream._immediacy == .always ? { take in unsafe _handOver(take) } : unsafe madeDriver
  }
}

// It shows what it is made of, as Combine's does.
extension Publishers.Map: CustomReflectable {
  /// A mirror that shows `upstream` and `transform`, and nothing that is there for speed.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["upstream": upstream, "transform": transform],
      displayStyle: .struct
    )
  }
}
