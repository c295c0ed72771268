/// A subscription that is kept, as an object: two words where any subscription takes five.
///
/// A call keeps it alive until it returns, even if the call ends whoever keeps it. The optimiser of
/// Swift 6.3 does not do that where a reference goes to a requirement of a protocol that is not
/// bound to classes: `docs/memory.md` shows it in ten lines. So the object is out of reach here.
@frozen
public struct _HeldSubscription {
  @usableFromInline let object: any Subscription & AnyObject

  /// Keeps an object as it is.
  @inlinable
  public init(object: any Subscription & AnyObject) { self.object = object }

  /// The subscription, for calls that cannot end it.
  @inlinable
  public var subscription: any Subscription { object }

  /// Asks the subscription for more, and keeps it alive until it returns.
  @inlinable
  public func request(_ demand: Subscribers.Demand) {
    withExtendedLifetime(object) { object.request(demand) }
  }

  /// Cancels the subscription, and keeps it alive until it returns.
  @inlinable
  public func cancel() {
    withExtendedLifetime(object) { object.cancel() }
  }
}

/// A subscription that is no object.
@usableFromInline
final class _SubscriptionBox<Base: Subscription>: Subscription {
  @usableFromInline let base: Base

  @inlinable
  init(_ base: Base) { self.base = base }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) { base.request(demand) }

  @usableFromInline
  func cancel() { base.cancel() }
}
