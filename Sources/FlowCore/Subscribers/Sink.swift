extension Subscribers {
  /// Asks for everything and hands it to closures.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
    /// Called with each value, on the thread that delivers it.
    public let receiveValue: (Input) -> Void
    /// Called with the end.
    public let receiveCompletion: (Subscribers.Completion<Failure>) -> Void

    private let lock = Lock()
    private var subscription: (any Subscription)?
    private var isOver = false

    /// Makes a subscriber that calls these closures.
    public init(
      receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
      receiveValue: @escaping (Input) -> Void
    ) {
      self.receiveCompletion = receiveCompletion
      self.receiveValue = receiveValue
    }

    public func receive(subscription: any Subscription) {
      let isWanted = lock.withLock {
        guard !isOver, self.subscription == nil else { return false }
        self.subscription = subscription
        return true
      }
      if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    @inlinable @inline(__always)
    public func receive(_ input: Input) -> Subscribers.Demand {
      receiveValue(input)
      return .none
    }

    public func receive(completion: Subscribers.Completion<Failure>) {
      _ = end()
      receiveCompletion(completion)
    }

    public func cancel() { end()?.cancel() }

    private func end() -> (any Subscription)? {
      lock.withLock {
        isOver = true
        defer { subscription = nil }
        return subscription
      }
    }
  }
}

extension Subscribers.Sink: CustomStringConvertible {
  public var description: String { "Sink" }
}

extension Publisher {
  /// Asks for everything and hands it to closures, until the result is cancelled or released.
  @inlinable @inline(__always)
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let sink = Subscribers.Sink<Output, Failure>(
      receiveCompletion: receiveCompletion,
      receiveValue: receiveValue
    )
    subscribe(sink)
    return AnyCancellable(sink)
  }
}

extension Publisher where Failure == Never {
  /// Asks for everything and hands it to a closure, until the result is cancelled or released.
  @inlinable @inline(__always)
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}
