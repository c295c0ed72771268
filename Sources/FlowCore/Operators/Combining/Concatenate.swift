extension Publisher {
  /// Publishes `elements` after this publisher has finished.
  @inlinable
  public func append(_ elements: Output...)
    -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>>
  {
    append(elements)
  }

  /// Publishes the elements of a sequence after this publisher has finished.
  @inlinable
  public func append<S: Swift.Sequence>(_ elements: S)
    -> Publishers.Concatenate<Self, Publishers.Sequence<S, Failure>> where S.Element == Output
  {
    append(Publishers.Sequence(sequence: elements))
  }

  /// Republishes another publisher after this one has finished.
  ///
  ///     source            --1--2--|
  ///     other             -------------3--|
  ///     append(other)     --1--2-------3--|
  ///
  /// The other one is subscribed to only then. Demand that is not met is carried over; a failure
  /// ends it.
  @inlinable
  public func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, P>
  where P.Failure == Failure, P.Output == Output {
    Publishers.Concatenate(prefix: self, suffix: publisher)
  }

  /// Publishes `elements` before this publisher is subscribed to.
  @inlinable
  public func prepend(_ elements: Output...)
    -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self>
  {
    prepend(elements)
  }

  /// Publishes the elements of a sequence before this publisher is subscribed to.
  @inlinable
  public func prepend<S: Swift.Sequence>(_ elements: S)
    -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> where S.Element == Output
  {
    prepend(Publishers.Sequence(sequence: elements))
  }

  /// Republishes another publisher before this one, which is subscribed to when it has finished.
  @inlinable
  public func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<P, Self>
  where P.Failure == Failure, P.Output == Output {
    Publishers.Concatenate(prefix: publisher, suffix: self)
  }
}

extension Publishers {
  /// See `append(_:)`.
  public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
  where Prefix.Failure == Suffix.Failure, Prefix.Output == Suffix.Output {
    public typealias Output = Suffix.Output
    public typealias Failure = Suffix.Failure

    /// The publisher whose values come first.
    public let prefix: Prefix
    /// The publisher that is subscribed to when the first has finished.
    public let suffix: Suffix

    /// Creates a publisher of the values of `prefix`, then of those of `suffix`.
    @inlinable
    public init(prefix: Prefix, suffix: Suffix) {
      self.prefix = prefix
      self.suffix = suffix
    }

    /// Subscribes to the prefix; the suffix is subscribed to when that has finished.
    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let (prefix, suffix) = (prefix, suffix)
      let inner = Resubscriber<Failure, S>(
        "Concatenate",
        .concatenate,
        subscriber,
        following: { suffix.receive(subscriber: ConcatenateSubscriber(parent: $0, round: 2)) }
      ) { .fail($0) }
      inner.subscribe { prefix.receive(subscriber: ConcatenateSubscriber(parent: $0, round: 1)) }
    }
  }
}

extension Publishers.Concatenate: Equatable where Prefix: Equatable, Suffix: Equatable {}

extension Publishers.Concatenate {
  /// As immediate as the prefix, if the suffix always is; otherwise never.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy {
    Suffix._immediacy == .always ? Prefix._immediacy : .never
  }

  /// Hands over the values of the prefix and, if it has finished, those of the suffix.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    guard Suffix._immediacy == .always, let end = unsafe prefix._handOver(take) else { return nil }
    guard case .finished = end else { return end }
    return unsafe suffix._handOver(take)
  }
}

/// What the first publisher, and the one that follows it, are subscribed to with.
@frozen
@usableFromInline
struct ConcatenateSubscriber<Failure: Error, Downstream: Subscriber>: Subscriber,
  _SelfDescribing
where Downstream.Failure == Failure {
  @usableFromInline typealias Input = Downstream.Input

  @usableFromInline let parent: Resubscriber<Failure, Downstream>
  /// 1 or 2; the first publisher has no more to say once the second one has begun.
  @usableFromInline let round: Int

  @inlinable
  init(parent: Resubscriber<Failure, Downstream>, round: Int) {
    self.parent = parent
    self.round = round
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { parent.combineIdentifier }
  @inlinable
  var description: String { parent.description }
  @inlinable
  var _children: [Mirror.Child] { parent._children }

  @inlinable
  func receive(subscription: any Subscription) {
    parent.receive(subscription, in: round)
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand { parent.receive(input, in: round) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    parent.receive(completion, in: round)
  }
}
