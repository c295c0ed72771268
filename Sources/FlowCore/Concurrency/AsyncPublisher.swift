extension Publisher where Failure == Never {
  /// The values, for `for await`.
  ///
  /// Each iterator subscribes when it is made, and asks for one value at a time. The subscription
  /// is cancelled when the task is, or when the iterator is let go.
  @inlinable
  public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

/// A publisher that cannot fail, as an asynchronous sequence.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
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
    @usableFromInline let subscription: PulledSubscription<P.Output, Never>

    @inlinable
    init(_ subscription: PulledSubscription<P.Output, Never>) {
      self.subscription = subscription
    }

    /// Asks for a value and waits for it; none after the end, or when the task is cancelled.
    @inlinable
    public mutating func next() async -> Element? { await next(isolation: nil) }

    /// The same, without leaving the actor that asks.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await subscription.next(isolation: actor).get()
    }
  }
}

extension AsyncPublisher: Sendable where P: Sendable {}
