extension Publisher {
  /// Publishes the property at `keyPath` of each value.
  ///
  ///     source            --"a"--"bc"--|
  ///     map(\.count)      --1----2-----|
  ///
  /// Demand and completion pass through.
  @inlinable @inline(__always)
  public func map<T>(
    _ keyPath: @autoclosure () -> KeyPath<Output, T>
  ) -> Publishers.MapKeyPath<Self, T> {
    Publishers.MapKeyPath(upstream: self, keyPath: keyPath(), get: _getter(keyPath()))
  }

  /// Publishes two properties of each value, as a tuple.
  @inlinable @inline(__always)
  public func map<T0, T1>(
    _ keyPath0: @autoclosure () -> KeyPath<Output, T0>,
    _ keyPath1: @autoclosure () -> KeyPath<Output, T1>
  ) -> Publishers.MapKeyPath2<Self, T0, T1> {
    Publishers.MapKeyPath2(
      upstream: self,
      keyPath0: keyPath0(),
      keyPath1: keyPath1(),
      get: _getter(keyPath0(), keyPath1())
    )
  }

  /// Publishes three properties of each value, as a tuple.
  @inlinable @inline(__always)
  public func map<T0, T1, T2>(
    _ keyPath0: @autoclosure () -> KeyPath<Output, T0>,
    _ keyPath1: @autoclosure () -> KeyPath<Output, T1>,
    _ keyPath2: @autoclosure () -> KeyPath<Output, T2>
  ) -> Publishers.MapKeyPath3<Self, T0, T1, T2> {
    Publishers.MapKeyPath3(
      upstream: self,
      keyPath0: keyPath0(),
      keyPath1: keyPath1(),
      keyPath2: keyPath2(),
      get: _getter(keyPath0(), keyPath1(), keyPath2())
    )
  }
}

extension Publishers {
  /// See `map(_:)`.
  public struct MapKeyPath<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    /// The publisher whose values have the property.
    public let upstream: Upstream
    /// Where the property is that is published.
    public let keyPath: KeyPath<Upstream.Output, Output>
    @usableFromInline let get: (Upstream.Output) -> Output

    /// Creates a publisher of the property at `keyPath` of each value of `upstream`.
    @inlinable
    public init(
      upstream: Upstream,
      keyPath: KeyPath<Upstream.Output, Output>
    ) {
      self.init(upstream: upstream, keyPath: keyPath, get: _getter(keyPath))
    }

    @inlinable @inline(__always)
    init(
      upstream: Upstream,
      keyPath: KeyPath<Upstream.Output, Output>,
      get: @escaping (Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.keyPath = keyPath
      self.get = get
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let inner = KeyPathSubscriber<Upstream.Output, S>(
        description: "ValueForKey",
        _children: [("keyPath", keyPath)],
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
    /// Where the first property is.
    public let keyPath0: KeyPath<Upstream.Output, Output0>
    /// Where the second property is.
    public let keyPath1: KeyPath<Upstream.Output, Output1>
    @usableFromInline let get: (Upstream.Output) -> Output

    /// Creates a publisher of two properties of each value of `upstream`, as a tuple.
    @inlinable
    public init(
      upstream: Upstream,
      keyPath0: KeyPath<Upstream.Output, Output0>,
      keyPath1: KeyPath<Upstream.Output, Output1>
    ) {
      let get = _getter(keyPath0, keyPath1)
      self.init(upstream: upstream, keyPath0: keyPath0, keyPath1: keyPath1, get: get)
    }

    @inlinable @inline(__always)
    init(
      upstream: Upstream,
      keyPath0: KeyPath<Upstream.Output, Output0>,
      keyPath1: KeyPath<Upstream.Output, Output1>,
      get: @escaping (Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.keyPath0 = keyPath0
      self.keyPath1 = keyPath1
      self.get = get
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let inner = KeyPathSubscriber<Upstream.Output, S>(
        description: "ValueForKeys",
        _children: [("keyPath0", keyPath0), ("keyPath1", keyPath1)],
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
    /// Where the first property is.
    public let keyPath0: KeyPath<Upstream.Output, Output0>
    /// Where the second property is.
    public let keyPath1: KeyPath<Upstream.Output, Output1>
    /// Where the third property is.
    public let keyPath2: KeyPath<Upstream.Output, Output2>
    @usableFromInline let get: (Upstream.Output) -> Output

    /// Creates a publisher of three properties of each value of `upstream`, as a tuple.
    @inlinable
    public init(
      upstream: Upstream,
      keyPath0: KeyPath<Upstream.Output, Output0>,
      keyPath1: KeyPath<Upstream.Output, Output1>,
      keyPath2: KeyPath<Upstream.Output, Output2>
    ) {
      self.init(
        upstream: upstream,
        keyPath0: keyPath0,
        keyPath1: keyPath1,
        keyPath2: keyPath2,
        get: _getter(keyPath0, keyPath1, keyPath2)
      )
    }

    @inlinable @inline(__always)
    init(
      upstream: Upstream,
      keyPath0: KeyPath<Upstream.Output, Output0>,
      keyPath1: KeyPath<Upstream.Output, Output1>,
      keyPath2: KeyPath<Upstream.Output, Output2>,
      get: @escaping (Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.keyPath0 = keyPath0
      self.keyPath1 = keyPath1
      self.keyPath2 = keyPath2
      self.get = get
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let inner = KeyPathSubscriber<Upstream.Output, S>(
        description: "ValueForKeys",
        _children: [("keyPath0", keyPath0), ("keyPath1", keyPath1), ("keyPath2", keyPath2)],
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
  @usableFromInline let _children: [Mirror.Child]
  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: (Input) -> Downstream.Input

  @inlinable @inline(__always)
  init(
    description: String,
    _children: [Mirror.Child],
    downstream: Downstream,
    transform: @escaping (Input) -> Downstream.Input
  ) {
    self.description = description
    self._children = _children
    self.downstream = downstream
    self.transform = transform
  }

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
