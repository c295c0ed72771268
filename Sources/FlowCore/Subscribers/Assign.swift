extension Subscribers {
  /// Asks for everything and assigns it to a property; it holds the object until the end.
  public final class Assign<Root, Input>: Subscriber, Cancellable {
    public typealias Failure = Never

    /// The object, until the end.
    public private(set) var object: Root?
    /// The property.
    public let keyPath: ReferenceWritableKeyPath<Root, Input>

    private let lock = Lock()
    private var subscription: (any Subscription)?

    /// Makes a subscriber that assigns to `keyPath` of `object`.
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      self.object = object
      self.keyPath = keyPath
    }

    public func receive(subscription: any Subscription) {
      let isWanted = lock.withLock {
        guard object != nil, self.subscription == nil else { return false }
        self.subscription = subscription
        return true
      }
      if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    public func receive(_ value: Input) -> Subscribers.Demand {
      let object = lock.withLock { self.object }
      object?[keyPath: keyPath] = value
      return .none
    }

    public func receive(completion: Subscribers.Completion<Never>) { _ = end() }

    public func cancel() { end().subscription?.cancel() }

    /// Hands out what is to be released, so that it is not under the lock.
    private func end() -> (subscription: (any Subscription)?, object: Root?) {
      lock.withLock {
        defer {
          subscription = nil
          object = nil
        }
        return (subscription, object)
      }
    }
  }
}

extension Subscribers.Assign: CustomStringConvertible {
  public var description: String { "Assign \(Root.self)" }
}

extension Publisher where Failure == Never {
  /// Assigns each value to a property of `object`, until the result is cancelled or released.
  public func assign<Root>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>,
    on object: Root
  ) -> AnyCancellable {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    subscribe(assign)
    return AnyCancellable(assign)
  }
}
