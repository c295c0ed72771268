extension Subscribers {
  /// Requests everything and assigns it to a property; it holds the object until the end.
  public final class Assign<Root, Input>: Subscriber, Cancellable {
    public typealias Failure = Never

    /// The property.
    public let keyPath: ReferenceWritableKeyPath<Root, Input>

    /// Closed at the end.
    @usableFromInline let uses = UseCount()
    @usableFromInline let lock = Lock()
    // The use count guards the object, the lock the subscription (memory 5).
    @safe @exclusivity(unchecked) @usableFromInline var state: State

    @usableFromInline
    struct State {
      @usableFromInline var object: Root?
      @usableFromInline var subscription: (any Subscription)?
      @usableFromInline var hasStarted = false

      @usableFromInline
      init(_ object: Root) { self.object = object }
    }

    /// Makes a subscriber that assigns to `keyPath` of `object`.
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      state = State(object)
      self.keyPath = keyPath
    }

    /// The object, until the end.
    public var object: Root? {
      guard uses.begin() else { return nil }
      defer { endUse() }
      return state.object
    }

    /// Requests everything; cancels `subscription` if it is not the first, or comes too late.
    public func receive(subscription: any Subscription) {
      let isWanted = lock.withLock {
        guard !state.hasStarted, !uses.isClosed else { return false }
        state.hasStarted = true
        state.subscription = subscription
        return true
      }
      if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    /// Assigns `value`, on the thread that delivers it; before a subscription and after the end it
    /// does nothing.
    @inlinable @inline(__always)
    public func receive(_ value: Input) -> Subscribers.Demand {
      guard state.hasStarted, uses.begin() else { return .none }
      defer { endUse() }
      state.object?[keyPath: keyPath] = value
      return .none
    }

    /// Lets go of the object.
    public func receive(completion: Subscribers.Completion<Never>) { _ = end() }

    /// Cancels the subscription, and lets go of the object.
    public func cancel() { end()?.cancel() }

    /// Ends it; returns the subscription it had, which is to be released without the lock.
    private func end() -> (any Subscription)? {
      let (_, mustRelease) = uses.close()
      if mustRelease { release() }
      return lock.withLock { state.subscription.take() }
    }

    @inlinable @inline(__always)
    func endUse() { if uses.end() { release() } }

    @usableFromInline
    func release() { state.object = nil }

    fileprivate var status: String {
      if uses.isClosed { return "terminal" }
      return lock.withLock { state.subscription }.map { "subscribed(\($0))" }
        ?? "awaitingSubscription"
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
  @inlinable
  public func assign<Root>(
    to keyPath: ReferenceWritableKeyPath<Root, Output>,
    on object: Root
  ) -> AnyCancellable {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    subscribe(assign)
    return AnyCancellable(assign)
  }
}
