extension Sequence where Element: Publisher {
  /// Republishes the values of all these publishers as they come.
  ///
  /// See `merge(with:)`.
  @_disfavoredOverload
  @inlinable
  public func merge() -> Publishers.MergeMany<Element> { Publishers.MergeMany(self) }

  /// Publishes arrays: the first values of all these publishers, the second ones, and so on.
  ///
  /// Without publishers it finishes at once. See `zip(_:)`.
  @_disfavoredOverload
  @inlinable
  public func zip() -> Publishers.ZipMany<Element> {
    Publishers.ZipMany(publishers: Array(self), usesOnce: true)
  }

  /// Publishes the newest values of all these publishers, whenever one of them publishes.
  ///
  /// Without publishers it finishes at once. See `combineLatest(_:)`.
  @_disfavoredOverload
  @inlinable
  public func combineLatest() -> Publishers.ZipMany<Element> {
    Publishers.ZipMany(publishers: Array(self), usesOnce: false)
  }

  /// Like `combineLatest()`, but also calls `onDrop` with each value that was never sent: there was
  /// no demand until a newer value or a failure came.
  @_disfavoredOverload
  @inlinable
  public func combineLatest(onDrop: @escaping (Element.Output) -> Void)
    -> Publishers.ZipMany<Element>
  {
    Publishers.ZipMany(publishers: Array(self), usesOnce: false, onDrop: onDrop)
  }
}

extension Publishers {
  /// See `zip()` and `combineLatest()` of a sequence of publishers.
  public struct ZipMany<Upstream: Publisher>: Publisher {
    /// One value of each publisher, in the order of the publishers.
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// The publishers, in the order of their values in each array.
    public let publishers: [Upstream]
    @usableFromInline let usesOnce: Bool
    @usableFromInline let onDrop: ((Upstream.Output) -> Void)?

    @inlinable
    init(publishers: [Upstream], usesOnce: Bool, onDrop: ((Upstream.Output) -> Void)? = nil) {
      self.publishers = publishers
      self.usesOnce = usesOnce
      self.onDrop = onDrop
    }

    /// Subscribes to all publishers in order; without any it sends the end at once.
    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      guard !publishers.isEmpty else {
        return Empty<Output, Failure>().receive(subscriber: subscriber)
      }
      let name: StaticString = usesOnce ? "Zip" : "CombineLatest"
      let (usesOnce, indices) = (usesOnce, publishers.indices)
      let join = _JoinSubscription(name, subscriber, usesOnce: usesOnce, count: indices.count) {
        join in
        indices.map {
          let side = join.side($0, of: Upstream.Output.self)
          return usesOnce ? side.use() : side.latest()
        }
      }
      let sides = publishers.map { _ in _JoinSideOf<Upstream.Output, S>(join, onDrop: onDrop) }
      join.state.sides = ContiguousArray(sides)
      for (publisher, side) in Swift.zip(publishers, sides) { publisher.receive(subscriber: side) }
      join.start()
    }
  }
}
