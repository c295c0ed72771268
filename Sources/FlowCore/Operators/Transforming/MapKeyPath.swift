extension Publisher {
  /// Publishes the property at `keyPath` of each value.
  ///
  ///     source            --"a"--"bc"--|
  ///     map(\.count)      --1----2-----|
  ///
  /// Demand and completion pass through.
  @inlinable @inline(__always)
  public func map<T>(
    _ keyPath: KeyPath<Output, T>
  ) -> Publishers.MapKeyPath<Self, T> {
    Publishers.MapKeyPath(upstream: self, keyPath: keyPath)
  }

  /// Publishes two properties of each value, as a tuple.
  @inlinable @inline(__always)
  public func map<T0, T1>(
    _ keyPath0: KeyPath<Output, T0>,
    _ keyPath1: KeyPath<Output, T1>
  ) -> Publishers.MapKeyPath2<Self, T0, T1> {
    Publishers.MapKeyPath2(upstream: self, keyPath0: keyPath0, keyPath1: keyPath1)
  }

  /// Publishes three properties of each value, as a tuple.
  @inlinable @inline(__always)
  public func map<T0, T1, T2>(
    _ keyPath0: KeyPath<Output, T0>,
    _ keyPath1: KeyPath<Output, T1>,
    _ keyPath2: KeyPath<Output, T2>
  ) -> Publishers.MapKeyPath3<Self, T0, T1, T2> {
    Publishers.MapKeyPath3(
      upstream: self,
      keyPath0: keyPath0,
      keyPath1: keyPath1,
      keyPath2: keyPath2
    )
  }
}

extension Publishers {
  /// See `map(_:)`.
  public struct MapKeyPath<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    /// The publisher whose values have the property.
    public let upstream: Upstream
    @usableFromInline let path: () -> KeyPath<Upstream.Output, Output>
    @usableFromInline let get: (Upstream.Output) -> Output

    /// Creates a publisher of the property at `keyPath` of each value of `upstream`.
    @inlinable @inline(__always)
    public init(
      upstream: Upstream,
      keyPath: KeyPath<Upstream.Output, Output>
    ) {
      self.upstream = upstream
      let path = _path(keyPath)
      self.path = path
      get = _getter(path)
    }

    /// Where the property is that is published.
    public var keyPath: KeyPath<Upstream.Output, Output> { path() }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let inner = KeyPathSubscriber<Upstream.Output, S>(
        description: "ValueForKey",
        shown: { [path] in [("keyPath", path())] },
        downstream: subscriber,
        transform: get
      )
      upstream.receive(subscriber: inner)
    }
  }

  /// See `map(_:_:)`.
  public struct MapKeyPath2<Upstream: Publisher, Output0, Output1>: Publisher {
    /// Both properties, in the order of the key paths.
    public typealias Output = (Output0, Output1)
    public typealias Failure = Upstream.Failure

    /// The publisher whose values have the properties.
    public let upstream: Upstream
    @usableFromInline let path0: () -> KeyPath<Upstream.Output, Output0>
    @usableFromInline let path1: () -> KeyPath<Upstream.Output, Output1>
    @usableFromInline let get: (Upstream.Output) -> Output

    /// Creates a publisher of two properties of each value of `upstream`, as a tuple.
    @inlinable @inline(__always)
    public init(
      upstream: Upstream,
      keyPath0: KeyPath<Upstream.Output, Output0>,
      keyPath1: KeyPath<Upstream.Output, Output1>
    ) {
      self.upstream = upstream
      let (path0, path1) = (_path(keyPath0), _path(keyPath1))
      self.path0 = path0
      self.path1 = path1
      get = _getter(path0, path1)
    }

    /// Where the first property is.
    public var keyPath0: KeyPath<Upstream.Output, Output0> { path0() }
    /// Where the second property is.
    public var keyPath1: KeyPath<Upstream.Output, Output1> { path1() }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let inner = KeyPathSubscriber<Upstream.Output, S>(
        description: "ValueForKeys",
        shown: { [path0, path1] in [("keyPath0", path0()), ("keyPath1", path1())] },
        downstream: subscriber,
        transform: get
      )
      upstream.receive(subscriber: inner)
    }
  }

  /// See `map(_:_:_:)`.
  public struct MapKeyPath3<Upstream: Publisher, Output0, Output1, Output2>: Publisher {
    /// The three properties, in the order of the key paths.
    public typealias Output = (Output0, Output1, Output2)
    public typealias Failure = Upstream.Failure

    /// The publisher whose values have the properties.
    public let upstream: Upstream
    @usableFromInline let path0: () -> KeyPath<Upstream.Output, Output0>
    @usableFromInline let path1: () -> KeyPath<Upstream.Output, Output1>
    @usableFromInline let path2: () -> KeyPath<Upstream.Output, Output2>
    @usableFromInline let get: (Upstream.Output) -> Output

    /// Creates a publisher of three properties of each value of `upstream`, as a tuple.
    @inlinable @inline(__always)
    public init(
      upstream: Upstream,
      keyPath0: KeyPath<Upstream.Output, Output0>,
      keyPath1: KeyPath<Upstream.Output, Output1>,
      keyPath2: KeyPath<Upstream.Output, Output2>
    ) {
      self.upstream = upstream
      let (path0, path1, path2) = (_path(keyPath0), _path(keyPath1), _path(keyPath2))
      self.path0 = path0
      self.path1 = path1
      self.path2 = path2
      get = _getter(path0, path1, path2)
    }

    /// Where the first property is.
    public var keyPath0: KeyPath<Upstream.Output, Output0> { path0() }
    /// Where the second property is.
    public var keyPath1: KeyPath<Upstream.Output, Output1> { path1() }
    /// Where the third property is.
    public var keyPath2: KeyPath<Upstream.Output, Output2> { path2() }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let inner = KeyPathSubscriber<Upstream.Output, S>(
        description: "ValueForKeys",
        shown: { [path0, path1, path2] in
          [("keyPath0", path0()), ("keyPath1", path1()), ("keyPath2", path2())]
        },
        downstream: subscriber,
        transform: get
      )
      upstream.receive(subscriber: inner)
    }
  }
}

/// Hands on properties of each value; a mirror shows which.
@frozen
@usableFromInline
struct KeyPathSubscriber<Input, Downstream: Subscriber>: Subscriber, _SelfDescribing {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let description: String
  @usableFromInline let shown: () -> [Mirror.Child]
  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: (Input) -> Downstream.Input

  @inlinable @inline(__always)
  init(
    description: String,
    shown: @escaping () -> [Mirror.Child],
    downstream: Downstream,
    transform: @escaping (Input) -> Downstream.Input
  ) {
    self.description = description
    self.shown = shown
    self.downstream = downstream
    self.transform = transform
  }

  @inlinable
  var _children: [Mirror.Child] { shown() }

  @inlinable
  var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }

  @inlinable @inline(__always)
  func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand { downstream.receive(transform(input)) }

  @inlinable @inline(__always)
  func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}
