public import Synchronization

/// One subscription at a subject, whatever the types.
///
/// The demand is atomic, so that a request or a cancellation never waits for a delivery. All else
/// belongs to whoever is inside the hub's owner word.
@usableFromInline
class _Conduit: _ControlSubscription {
  @usableFromInline final let hub: _ConduitHub
  /// The values it may be sent, `Int.max` being no limit; with the sign bit set it is over.
  @usableFromInline final let demand = Atomic<Int>(0)
  /// The place among the hub's conduits; negative while it has none.
  @exclusivity(unchecked) @usableFromInline final var slot = -1
  /// What its subject remembers of it; negative at first.
  @exclusivity(unchecked) @usableFromInline final var mark = -1
  /// Sends all but values; the pointer is to what the signal comes with.
  @usableFromInline final let signal: (_Conduit, _ConduitSignal, UnsafeRawPointer?) -> Void

  @inlinable @inline(__always)
  init(
    _ hub: _ConduitHub,
    signal: @escaping (_Conduit, _ConduitSignal, UnsafeRawPointer?) -> Void,
    control: @escaping (_ControlSubscription, Int) -> Void
  ) {
    self.hub = hub
    self.signal = signal
    super.init(control)
  }

  @usableFromInline
  override final var description: String { hub.conduitName }

  /// Gives the subscriber its subscription.
  @usableFromInline
  final func subscribe(_ subscription: any Subscription) {
    withUnsafePointer(to: subscription) { signal(self, .subscription, $0) }
  }

  /// Lets go of the subscriber; never while it is being sent something.
  @usableFromInline
  final func release() { signal(self, .release, nil) }

  /// Takes one off the demand; false if there is none.
  @inlinable
  final func takeDemand() -> Bool {
    var now = demand.load(ordering: .acquiring)
    while now > 0, now != .max {
      let (exchanged, original) = demand.weakCompareExchange(
        expected: now,
        desired: now &- 1,
        ordering: .acquiring
      )
      if exchanged { return true }
      now = original
    }
    return now == .max
  }

  /// Adds to the demand, unless it is over.
  @inlinable
  final func addDemand(_ count: Int) {
    guard count > 0 else { return }
    var now = demand.load(ordering: .relaxed)
    while now >= 0, now != .max {
      let (sum, overflow) = now.addingReportingOverflow(count)
      let (exchanged, original) = demand.weakCompareExchange(
        expected: now,
        desired: overflow ? .max : sum,
        ordering: .releasing
      )
      if exchanged { return }
      now = original
    }
  }

  /// Ends it; true the first time.
  @inlinable
  final func end() -> Bool {
    demand.bitwiseOr(.min, ordering: .acquiringAndReleasing).oldValue >= 0
  }

  @inlinable
  final var isOver: Bool { demand.load(ordering: .acquiring) < 0 }

  /// For subjects with a newest value: whether it has yet to be sent that.
  @inlinable @inline(__always)
  final var isBehind: Bool {
    get { mark < 0 }
    set { mark = newValue ? -1 : 0 }
  }
}

@frozen
@usableFromInline
enum _ConduitSignal {
  /// Comes with an `any Subscription`.
  case subscription
  /// Comes with a `Subscribers.Completion<Failure>`.
  case completion
  case release
}

/// A conduit for values of a known type.
@usableFromInline
class _ConduitOf<Output, Failure: Error>: _Conduit {
  @usableFromInline final let offer: (_ConduitOf<Output, Failure>, Output) -> Int

  @inlinable @inline(__always)
  init(
    _ hub: _ConduitHub,
    offer: @escaping (_ConduitOf<Output, Failure>, Output) -> Int,
    signal: @escaping (_Conduit, _ConduitSignal, UnsafeRawPointer?) -> Void,
    control: @escaping (_ControlSubscription, Int) -> Void
  ) {
    self.offer = offer
    super.init(hub, signal: signal, control: control)
  }

  @usableFromInline
  final func finish(_ completion: Subscribers.Completion<Failure>) {
    withUnsafePointer(to: completion) { signal(self, .completion, $0) }
  }

  /// Sends a value if there is demand.
  @inlinable @inline(__always)
  final func send(_ value: Output) {
    if demand.load(ordering: .acquiring) == .max {
      _ = offer(self, value)
    } else if takeDemand() {
      addDemand(offer(self, value))
    }
  }
}

/// The conduit to a subscriber of a known type.
@usableFromInline
final class _ConduitTo<S: Subscriber>: _ConduitOf<S.Input, S.Failure> {
  /// There until it is let go of, before which the last signal has been sent.
  @exclusivity(unchecked) @usableFromInline var downstream: S?

  @inlinable @inline(__always)
  init(
    _ hub: _ConduitHub,
    _ downstream: S,
    control: @escaping (_ControlSubscription, Int) -> Void
  ) {
    self.downstream = downstream
    super.init(
      hub,
      offer: { conduit, value in
        let me = unsafeDowncast(conduit, to: _ConduitTo<S>.self)
        return withBorrowed(&me.downstream) { $0.receive(value) }
      },
      signal: { conduit, signal, pointer in
        let me = unsafeDowncast(conduit, to: _ConduitTo<S>.self)
        switch signal {
        case .subscription:
          guard let pointer, me.hasDownstream else { return }
          withBorrowed(&me.downstream) {
            $0.receive(subscription: pointer.load(as: (any Subscription).self))
          }
        case .completion:
          guard let pointer, me.hasDownstream else { return }
          withBorrowed(&me.downstream) {
            $0.receive(completion: pointer.load(as: Subscribers.Completion<S.Failure>.self))
          }
        case .release: me.downstream = nil
        }
      },
      control: control
    )
  }

  @inlinable @inline(__always)
  var hasDownstream: Bool {
    if case .none = downstream { false } else { true }
  }

  @usableFromInline
  override var _children: [Mirror.Child] {
    let downstream: Mirror.Child = (
      "downstream", self.downstream.map { $0 as Any } ?? self.downstream as Any
    )
    guard hub.showsConduitsInFull else { return [downstream] }
    let count = demand.load(ordering: .relaxed)
    let subject: _ConduitHub? = count < 0 ? nil : hub
    return [
      ("parent", subject as Any),
      downstream,
      ("demand", Subscribers.Demand(_count: count & .max)),
      ("subject", subject as Any),
    ]
  }
}

/// A subscriber that is borrowed, not copied, for a signal.
///
/// A copy costs reference counting for each of its closures, more than all the rest.
@frozen
@usableFromInline
struct _Borrowed<S: Subscriber>: ~Copyable {
  @usableFromInline let subscriber: S

  @inlinable @inline(__always)
  borrowing func receive(_ input: S.Input) -> Int { subscriber.receive(input)._count }

  @inlinable @inline(__always)
  borrowing func receive(subscription: any Subscription) {
    subscriber.receive(subscription: subscription)
  }

  @inlinable @inline(__always)
  borrowing func receive(completion: Subscribers.Completion<S.Failure>) {
    subscriber.receive(completion: completion)
  }
}

/// Borrows a subscriber that is there, and that nobody replaces meanwhile.
@inlinable @inline(__always)
func withBorrowed<S: Subscriber, R>(
  _ subscriber: inout S?,
  _ body: (borrowing _Borrowed<S>) -> R
) -> R {
  withUnsafeMutablePointer(to: &subscriber) {
    // What an optional wraps lies at its beginning.
    body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: _Borrowed<S>.self).pointee)
  }
}
