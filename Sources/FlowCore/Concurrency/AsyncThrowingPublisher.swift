extension Publisher {
  /// The values, for `for try await`; a failure is thrown.
  ///
  /// Each iterator subscribes when it is made, and asks for one value at a time. The subscription
  /// is cancelled when the task is, or when the iterator is let go.
  @inlinable
  public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }
}

/// A publisher that may fail, as an asynchronous sequence.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
  /// The kind of value published.
  public typealias Element = P.Output

  @usableFromInline let publisher: P

  /// Makes a sequence of a publisher's values.
  @inlinable
  public init(_ publisher: P) { self.publisher = publisher }

  /// Subscribes to the publisher; nothing is asked for before `next()`.
  @inlinable
  public func makeAsyncIterator() -> Iterator { Iterator(PulledSubscription(publisher)) }

  /// Takes one value after another from a subscription of its own.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let subscription: PulledSubscription<P.Output, P.Failure>

    @inlinable
    init(_ subscription: PulledSubscription<P.Output, P.Failure>) {
      self.subscription = subscription
    }

    /// Asks for a value and waits for it; none after the end, or when the task is cancelled.
    ///
    /// A failure is thrown once, to the first that waits.
    @inlinable
    public mutating func next() async throws -> Element? { try await next(isolation: nil) }

    /// The same, without leaving the actor that asks.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> Element? {
      try await subscription.next(isolation: actor).get()
    }
  }
}

extension AsyncThrowingPublisher: Sendable where P: Sendable {}
