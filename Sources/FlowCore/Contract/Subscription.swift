/// The link from a subscriber back to its publisher: asks for values, or ends them.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Allows `demand` more values to be sent.
  ///
  /// May be called from any thread, also from inside `receive(_:)`. A demand of `.none` traps.
  func request(_ demand: Subscribers.Demand)

  /// This subscription, if it is of the kind that takes no room to keep.
  var _asControlSubscription: _ControlSubscription? { get }

  /// This subscription to keep and to call, as whoever keeps one must.
  var _held: _HeldSubscription { get }
}

extension Subscription {
  /// None, unless a subscription says otherwise.
  @inlinable
  public var _asControlSubscription: _ControlSubscription? { nil }

  /// This subscription in an object, since it may be none.
  @inlinable
  public var _held: _HeldSubscription { _HeldSubscription(object: _SubscriptionBox(self)) }
}

extension Subscription where Self: AnyObject {
  /// This object as it is.
  @inlinable
  public var _held: _HeldSubscription { _HeldSubscription(object: self) }
}

extension Subscriptions {
  /// A subscription that gives nothing and cannot be cancelled.
  public static var empty: any Subscription { EmptySubscription.shared }
}

private final class EmptySubscription: Subscription, _SelfDescribing, Sendable {
  static let shared = EmptySubscription()

  var description: String { "Empty" }

  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
}
