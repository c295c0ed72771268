extension Publishers {
  /// When a buffer requests values from its upstream.
  public enum PrefetchStrategy: Sendable, Hashable {
    /// It requests as many as it can hold at first, then one for each it has sent on.
    case keepFull
    /// It requests everything when it is subscribed to.
    case byRequest
  }

  /// What a full buffer does with one more value.
  public enum BufferingStrategy<Failure: Error> {
    /// Drops the value that comes.
    case dropNewest
    /// Drops the value it has held longest, to make room for the one that comes.
    case dropOldest
    /// Cancels the upstream at once, and fails with this error after sending what it holds.
    case customError(() -> Failure)
  }
}

extension Publisher {
  /// Holds values that come before there is demand for them.
  ///
  ///     source                                 (123456)------|
  ///     demand                                 1-----1-----1--
  ///     buffer(size: 2, .byRequest, .dropOldest)  1-----5-----6|
  ///
  /// `.keepFull` requests `size` values and one more for each sent on, so an upstream that is a
  /// subject drops what does not fit. `.byRequest` requests everything at once, and a full buffer
  /// does what `whenFull` says. What is held is sent before the end; an empty buffer ends without
  /// demand.
  @inlinable @inline(__always)
  public func buffer(
    size: Int,
    prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
  }

  /// Holds values that come before there is demand for them, and tells which it leaves out.
  ///
  /// `onDrop` is called with each value that is left out, on the thread that delivers.
  @inlinable
  @_disfavoredOverload
  public func buffer(
    size: Int,
    prefetch: Publishers.PrefetchStrategy,
    whenFull: Publishers.BufferingStrategy<Failure>,
    onDrop: @escaping (Output) -> Void
  ) -> Publishers.Buffer<Self> {
    var buffer = Publishers.Buffer(
      upstream: self,
      size: size,
      prefetch: prefetch,
      whenFull: whenFull
    )
    buffer.onDrop = onDrop
    return buffer
  }
}

extension Publishers {
  /// See `buffer(size:prefetch:whenFull:)`.
  public struct Buffer<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are held.
    public let upstream: Upstream
    /// How many values are held at most.
    public let size: Int
    /// When values are requested from the upstream.
    public let prefetch: PrefetchStrategy
    /// What happens to a value for which there is neither demand nor room.
    public let whenFull: BufferingStrategy<Failure>
    @usableFromInline var onDrop: ((Output) -> Void)?

    /// Creates a publisher that holds up to `size` values of `upstream` until there is demand.
    ///
    /// A negative `size` traps.
    @inlinable @inline(__always)
    public init(
      upstream: Upstream,
      size: Int,
      prefetch: PrefetchStrategy,
      whenFull: BufferingStrategy<Failure>
    ) {
      precondition(size >= 0, "size is \(size), expected 0 or more")
      self.upstream = upstream
      self.size = size
      self.prefetch = prefetch
      self.whenFull = whenFull
    }

    /// Subscribes to the upstream, which is asked for values before `subscriber` asks for any.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: _BufferSubscription(subscriber, self))
    }
  }
}
