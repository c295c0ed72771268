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

/// The subscription of an upstream, called where it lies: no reference is counted for a call.
///
/// Whoever lets go of it sees to it that no call is under way (memory 5).
@frozen
@usableFromInline
struct Upstream: ~Copyable {
  @usableFromInline var object: (any Subscription & AnyObject)?

  @inlinable
  init() {}

  /// The subscription, for a look at it.
  @inlinable
  var subscription: (any Subscription)? { object }

  @inlinable
  mutating func keep(_ subscription: any Subscription) { object = subscription._held.object }

  /// Takes out the reference, for the caller to let go of.
  @inlinable
  mutating func take() -> AnyObject? { object.take() }

  // Not inlined: where it is called from, it would be a reference from a variable.

  @usableFromInline @inline(never)
  borrowing func request(_ demand: Subscribers.Demand) { object?.request(demand) }

  @usableFromInline @inline(never)
  borrowing func cancel() { object?.cancel() }
}

/// The same, where all of it belongs to whoever is inside an owner word.
///
/// It counts the calls that are under way, since any of them may end it. All that is done goes
/// through a pointer, as a call may lead back here.
@frozen
@usableFromInline
struct OwnedUpstream: ~Copyable {
  @usableFromInline var upstream = Upstream()
  @usableFromInline var calls = 0
  /// Whether it has been kept, and has not ended.
  @usableFromInline var isThere = false

  @inlinable
  init() {}
}

extension UnsafeMutablePointer<OwnedUpstream> {
  @inlinable @inline(__always)
  func keep(_ subscription: any Subscription) {
    unsafe pointee.upstream.keep(subscription)
    unsafe pointee.isThere = true
  }

  /// Asks it for more, if it is there.
  @inlinable @inline(__always)
  func request(_ demand: Subscribers.Demand) {
    guard unsafe pointee.isThere else { return }
    unsafe pointee.calls &+= 1
    unsafe pointee.upstream.request(demand)
    unsafe pointee.calls &-= 1
    if unsafe !pointee.isThere { unsafe letGo() }
  }

  /// Cancels it, if it is there.
  @usableFromInline
  func cancel() {
    guard unsafe pointee.isThere else { return }
    unsafe pointee.isThere = false
    unsafe pointee.calls &+= 1
    unsafe pointee.upstream.cancel()
    unsafe pointee.calls &-= 1
    unsafe letGo()
  }

  /// It has come to its end.
  @usableFromInline
  func end() {
    unsafe pointee.isThere = false
    unsafe letGo()
  }

  @usableFromInline
  func letGo() {
    guard unsafe pointee.calls == 0 else { return }
    let old = unsafe pointee.upstream.take()
    withExtendedLifetime(old) {}
  }
}
