/// A subscription whose behaviour is a closure made where the subscriber's type was known.
///
/// Overrides and witnesses of generic classes stay unspecialised; a closure without context that
/// is formed in specialised code does not. The closure gets this object, which a subclass extends
/// with its state, and the demand, or a negative number for a cancellation.
open class _ControlSubscription: Subscription, _SelfDescribing {
  @usableFromInline final let _control: (_ControlSubscription, Int) -> Void

  /// Makes a subscription that calls `control` for each request and each cancellation.
  @inlinable
  public init(_ control: @escaping (_ControlSubscription, Int) -> Void) { _control = control }

  /// The operator's name, from a subclass.
  open var description: String { "" }

  /// What a mirror shows; nothing, unless a subclass says otherwise.
  open var _children: [Mirror.Child] { [] }

  /// Whether a request for nothing does nothing instead of trapping.
  open var _takesNone: Bool { false }

  /// Calls the closure with the demand; 0 traps unless `_takesNone`.
  @inlinable
  public final func request(_ demand: Subscribers.Demand) {
    precondition(demand > 0 || _takesNone, "demand is 0, expected 1 or more")
    _control(self, demand._count)
  }

  /// Calls the closure with a negative number.
  @inlinable
  public final func cancel() { _control(self, -1) }

  /// This subscription.
  @inlinable
  public final var _asControlSubscription: _ControlSubscription? { self }
}

extension Subscribers.Demand {
  /// The number of values; `Int.max` is no limit.
  @inlinable @inline(__always)
  public var _count: Int { Int(bitPattern: Swift.min(rawValue, UInt(Int.max))) }

  /// Makes a demand from a number; `Int.max` is no limit.
  @inlinable @inline(__always)
  public init(_count: Int) {
    self.init(rawValue: _count == .max ? UInt(Int.max) + 1 : UInt(bitPattern: _count))
  }
}

/// The sum of two counts of values, where `Int.max` is no limit.
@inlinable @inline(__always)
package func addDemand(_ a: Int, _ b: Int) -> Int {
  let (sum, overflow) = a.addingReportingOverflow(b)
  return overflow ? .max : sum
}
