extension Subscribers {
  /// Requests everything and assigns it to a property; it holds the object until the end.
  public final class Assign<Root, Input>: Subscriber, Cancellable {
    public typealias Failure = Never

    /// The object, until the end.
    public var object: Root? { lock.withLock { state.object } }
    /// The property.
    public let keyPath: ReferenceWritableKeyPath<Root, Input>

    private let lock = Lock()
    private var state: (object: Root?, subscription: (any Subscription)?)

    /// Makes a subscriber that assigns to `keyPath` of `object`.
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      state = (object, nil)
      self.keyPath = keyPath
    }

    /// Requests everything; cancels `subscription` if it is not the first, or comes too late.
    public func receive(subscription: any Subscription) {
      let isWanted = lock.withLock {
        guard state.object != nil, state.subscription == nil else { return false }
        state.subscription = subscription
        return true
      }
      if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    /// Assigns `value`, on the thread that delivers it; before a subscription and after the end it
    /// does nothing.
    public func receive(_ value: Input) -> Subscribers.Demand {
      let object = lock.withLock { state.subscription == nil ? nil : state.object }
      object?[keyPath: keyPath] = value
      return .none
    }

    /// Lets go of the object.
    public func receive(completion: Subscribers.Completion<Never>) { _ = end() }

    /// Cancels the subscription, and lets go of the object.
    public func cancel() { end().subscription?.cancel() }

    /// Hands out what is to be released, so that it is not under the lock.
    private func end() -> (object: Root?, subscription: (any Subscription)?) {
      lock.withLock {
        defer { state = (nil, nil) }
        return state
      }
    }

    fileprivate var status: String {
      lock.withLock {
        state.object == nil
          ? "terminal" : state.subscription.map { "subscribed(\($0))" } ?? "awaitingSubscription"
      }
    }
  }
}

extension Subscribers.Assign: CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  /// "Assign" and the type of the object.
  public var description: String { "Assign \(Root.self)." }

  /// A mirror of the object, the property, and whether there is a subscription.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [("object", object as Any), ("keyPath", keyPath), ("status", status)]
    )
  }

  public var playgroundDescription: Any { description }
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
