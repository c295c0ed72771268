public import Synchronization

/// One subscription at a subject, whatever the types.
///
/// The demand is atomic, so that a request or a cancellation never waits for a delivery. All else
/// belongs to whoever is inside the hub's owner word.
@usableFromInline
@safe
class _Conduit: _ControlSubscription {
  @usableFromInline final let hub: _ConduitHub
  /// The values it may be sent, `Int.max` being no limit; with the sign bit set it is over.
  @usableFromInline final let demand = Atomic<Int>(0)
  /// The place among the hub's conduits; negative while it has none.
  ///
  /// The hub's, and so not in `state`: that is let go of by whoever ended it, when the hub is left.
  @safe @exclusivity(unchecked) @usableFromInline final var slot: Int32 = -1  // memory 5
  @safe @exclusivity(unchecked) @usableFromInline final var state = State()  // memory 5
  /// Sends all but values; the pointer is to what the signal comes with.
  @usableFromInline final let signal: (_Conduit, _ConduitSignal, UnsafeMutableRawPointer?) -> Void

  @usableFromInline
  struct State {
    /// Whether the subscriber is there: until it is let go of, before which the last signal is sent.
    @usableFromInline var hasDownstream = true
    /// What its subject remembers of it; negative at first.
    @usableFromInline var mark = -1
    /// The subscriber, whose type the closures know.
    @usableFromInline var room = _Room()

    @inlinable init() {}
  }

  @inlinable @inline(__always)
  init(
    _ hub: _ConduitHub,
    signal: @escaping (_Conduit, _ConduitSignal, UnsafeMutableRawPointer?) -> Void,
    control: @escaping (_ControlSubscription, Int) -> Void
  ) {
    self.hub = hub
    unsafe self.signal = unsafe signal
    super.init(control)
  }

  @usableFromInline
  override final var description: String { hub.conduitName }

  @usableFromInline
  override final var _children: [Mirror.Child] { children }

  deinit { release() }

  /// Gives the subscriber its subscription, or one that has nothing to give.
  final func subscribe(toNothing: Bool = false) {
    signal(self, toNothing ? .emptySubscription : .subscription, nil)
  }

  /// Lets go of the subscriber; never while it is being sent something.
  final func release() {
    if state.hasDownstream { signal(self, .release, nil) }
  }

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
    get { state.mark < 0 }
    set { state.mark = newValue ? -1 : 0 }
  }
}

@frozen
@usableFromInline
enum _ConduitSignal {
  case subscription
  case emptySubscription
  /// Comes with a `Subscribers.Completion<Failure>`.
  case completion
  case release
  /// Comes with an `Any?`, to put the subscriber into.
  case showing
}

/// A conduit for values of a known type.
@usableFromInline
final class _ConduitOf<Output, Failure: Error>: _Conduit {
  @usableFromInline let offer: (_ConduitOf<Output, Failure>, Output) -> Int

  @inlinable @inline(__always)
  init<S: Subscriber>(
    _ hub: _ConduitHub,
    _ downstream: S,
    control: @escaping (_ControlSubscription, Int) -> Void
  ) where S.Input == Output, S.Failure == Failure {
    offer = { me, value in me.withDownstream(S.self) { $0.receive(value) } }
    unsafe super.init(
      hub,
      signal: { me, signal, pointer in
        switch signal {
        case .subscription: me.withDownstream(S.self) { $0.receive(subscription: me) }
        case .emptySubscription:
          me.withDownstream(S.self) { $0.receive(subscription: Subscriptions.empty) }
        case .completion:
          guard let pointer = unsafe pointer, me.state.hasDownstream else { return }
          me.withDownstream(S.self) {
            unsafe $0.receive(completion: pointer.load(as: Subscribers.Completion<Failure>.self))
          }
        case .release:
          me.state.hasDownstream = false
          unsafe withUnsafeMutablePointer(to: &me.state.room) { unsafe $0.empty(of: S.self) }
        case .showing:
          guard me.state.hasDownstream else { return }
          unsafe pointer?.assumingMemoryBound(to: Any?.self).pointee =
            unsafe withUnsafeMutablePointer(to: &me.state.room) {
              unsafe $0.address(of: S.self).pointee
            }
        }
      },
      control: control
    )
    unsafe withUnsafeMutablePointer(to: &state.room) { unsafe $0.fill(with: downstream) }
  }

  @usableFromInline
  func finish(_ completion: Subscribers.Completion<Failure>) {
    var completion = completion
    unsafe withUnsafeMutablePointer(to: &completion) { unsafe signal(self, .completion, $0) }
  }

  /// Sends a value if there is demand.
  @inlinable @inline(__always)
  func send(_ value: Output) {
    if demand.load(ordering: .acquiring) == .max {
      _ = offer(self, value)
    } else if takeDemand() {
      addDemand(offer(self, value))
    }
  }
}

extension _Conduit {
  /// Borrows the subscriber, which is there.
  @inlinable @inline(__always)
  final func withDownstream<S: Subscriber, R>(
    _ type: S.Type,
    _ body: (borrowing _Borrowed<S>) -> R
  ) -> R {
    unsafe withUnsafeMutablePointer(to: &state.room) {
      unsafe withBorrowed($0.address(of: S.self), body)
    }
  }

  final var children: [Mirror.Child] {
    var shown: Any?
    unsafe withUnsafeMutablePointer(to: &shown) { unsafe signal(self, .showing, $0) }
    let downstream: Mirror.Child = ("downstream", shown ?? shown as Any)
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
