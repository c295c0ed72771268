/// The link from a subscriber back to its publisher: asks for values, or ends them.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Allows `demand` more values to be sent.
  ///
  /// May be called from any thread, also from inside `receive(_:)`. A demand of `.none` traps.
  func request(_ demand: Subscribers.Demand)

  /// This subscription, if it is of the kind that takes no room to keep.
  var _asControlSubscription: _ControlSubscription? { get }

  /// This subscription as an object, which takes two words to keep where any subscription takes five.
  var _asObject: any Subscription & AnyObject { get }
}

extension Subscription {
  @inlinable
  public var _asControlSubscription: _ControlSubscription? { nil }

  @inlinable
  public var _asObject: any Subscription & AnyObject { _SubscriptionBox(self) }
}

extension Subscription where Self: AnyObject {
  @inlinable
  public var _asObject: any Subscription & AnyObject { self }
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

extension Subscriptions {
  /// A subscription that gives nothing and can not be cancelled.
  public static var empty: any Subscription { EmptySubscription.shared }
}

private final class EmptySubscription: Subscription, _SelfDescribing, Sendable {
  static let shared = EmptySubscription()

  var description: String { "Empty" }

  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
}
