extension Subscribers {
  /// Requests everything and assigns it to a property; it holds the object until the end.
  public final class Assign<Root, Input>: Subscriber, Cancellable {
    public typealias Failure = Never

    @usableFromInline let path: () -> ReferenceWritableKeyPath<Root, Input>
    @usableFromInline let set: (Root, Input) -> Void
    /// Closed at the end.
    @usableFromInline let uses = UseCount()
    // The use count guards these (memory 5).
    @safe @exclusivity(unchecked) @usableFromInline var upstream = Upstream()
    @safe @exclusivity(unchecked) @usableFromInline var target: Root?

    /// Makes a subscriber that assigns to `keyPath` of `object`.
    @inlinable @inline(__always)
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      target = object
      let path = _path(keyPath)
      self.path = path
      set = _setter(path)
    }

    /// The property.
    public var keyPath: ReferenceWritableKeyPath<Root, Input> { path() }

    /// The object, until the end.
    public var object: Root? {
      guard uses.begin() else { return nil }
      defer { endUse() }
      return target
    }

    /// Requests everything; cancels `subscription` if it is not the first, or comes too late.
    @inlinable
    public func receive(subscription: any Subscription) {
      guard uses.begin() else { return subscription.cancel() }
      defer { endUse() }
      guard uses.takeFirst() else { return subscription.cancel() }
      upstream.keep(subscription)
      guard uses.publishUpstream() else { return subscription.cancel() }
      subscription.request(.unlimited)
    }

    /// Assigns `value`, on the thread that delivers it; before a subscription and after the end it
    /// does nothing.
    @inlinable @inline(__always)
    public func receive(_ value: Input) -> Subscribers.Demand {
      guard uses.hasStarted, uses.begin() else { return .none }
      defer { endUse() }
      withBorrowed(&target) { set($0.value, value) }
      return .none
    }

    /// Lets go of the object.
    @inlinable
    public func receive(completion: Subscribers.Completion<Never>) {
      guard uses.begin() else { return }
      _ = uses.close()
      endUse()
    }

    /// Cancels the subscription, and lets go of the object.
    @inlinable
    public func cancel() {
      guard uses.begin() else { return }
      if uses.close().isFirst, uses.endUpstream() { upstream.cancel() }
      endUse()
    }

    @inlinable @inline(__always)
    func endUse() { if uses.end() { release() } }

    @inlinable
    func release() {
      let old = upstream.take()
      target = nil
      withExtendedLifetime(old) {}
    }

    fileprivate var status: String {
      guard uses.begin() else { return "terminal" }
      defer { endUse() }
      guard uses.hasUpstream, let subscription = upstream.subscription else {
        return "awaitingSubscription"
      }
      return "subscribed(\(subscription))"
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
  @inlinable @inline(__always)
  public func assign<Root>(
    to keyPath: consuming ReferenceWritableKeyPath<Root, Output>,
    on object: Root
  ) -> AnyCancellable {
    // Consumed: whoever lends a key path holds it until the call returns, which is one use more.
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    subscribe(assign)
    return AnyCancellable(assign)
  }
}
