public import Synchronization

/// One subscription at a subject, whatever the types.
///
/// What is asked for is atomic, so that a request or a cancellation never waits for a delivery. All
/// else belongs to whoever is inside the hub's owner word, so that a value that goes out costs no
/// atomic operation: what has been used is counted apart from what has been asked for.
@usableFromInline
@safe
class _Conduit: _ControlSubscription {
  /// Sends all but values; the pointer is to what the signal comes with.
  @usableFromInline final let signal: (_Conduit, _ConduitSignal, UnsafeMutableRawPointer?) -> Void
  @usableFromInline final let hub: _ConduitHub
  /// The place among the hub's conduits; negative while it has none.
  ///
  /// The hub's, and so not in `state`: that is let go of by whoever ended it, when the hub is left.
  @safe @exclusivity(unchecked) @usableFromInline final var slot: Int32 = -1  // memory 5
  @safe @exclusivity(unchecked) @usableFromInline final var state = State()  // memory 5
  /// How many values it has been asked for in all, `Int.max` being no limit; with the sign bit set
  /// it is over.
  ///
  /// What a fan-out reads of each conduit lies together: this, and after it what a subclass has.
  @usableFromInline final let asked = Atomic<Int>(0)

  @usableFromInline
  struct State {
    /// Whether the subscriber is there: until it is let go of, before which the last signal is sent.
    @usableFromInline var hasDownstream = true
    /// Whether the subscriber is that of a `sink`.
    @usableFromInline var isSink = false
    /// What its subject remembers of it; negative at first.
    @usableFromInline var mark = -1
    /// How many values it has been sent, less those that were asked for with a value.
    @usableFromInline var used = 0

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

  /// Takes one off the demand; false if there is none, or it is over.
  @inlinable @inline(__always)
  final func takeDemand() -> Bool {
    let asked = asked.load(ordering: .acquiring)
    guard asked > state.used else { return false }
    if asked != .max { state.used &+= 1 }
    return true
  }

  /// Adds what is asked for with a value.
  @inlinable @inline(__always)
  final func giveBack(_ count: Int) {
    guard count > 0 else { return }
    if count <= state.used { state.used &-= count } else { ask(count) }
  }

  /// Adds to the demand, unless it is over; from anywhere.
  @inlinable
  final func ask(_ count: Int) {
    guard count > 0 else { return }
    var now = asked.load(ordering: .relaxed)
    while now >= 0, now != .max {
      let (exchanged, original) = asked.weakCompareExchange(
        expected: now,
        desired: addDemand(now, count),
        ordering: .releasing
      )
      if exchanged { return }
      now = original
    }
  }

  /// Ends it; true the first time.
  @inlinable
  final func end() -> Bool {
    asked.bitwiseOr(.min, ordering: .acquiringAndReleasing).oldValue >= 0
  }

  @inlinable
  final var isOver: Bool { asked.load(ordering: .acquiring) < 0 }

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
  /// The subscriber, whose type the closures know.
  @safe @exclusivity(unchecked) @usableFromInline var room = _Room()  // memory 5

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
        let me = unsafe unsafeDowncast(me, to: _ConduitOf.self)  // memory 7
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
          unsafe withUnsafeMutablePointer(to: &me.room) { unsafe $0.empty(of: S.self) }
        case .showing:
          guard me.state.hasDownstream else { return }
          unsafe pointer?.assumingMemoryBound(to: Any?.self).pointee =
            unsafe withUnsafeMutablePointer(to: &me.room) {
              unsafe $0.address(of: S.self).pointee
            }
        }
      },
      control: control
    )
    state.isSink = Self.isSink(S.self)
    unsafe withUnsafeMutablePointer(to: &room) { unsafe $0.fill(with: downstream) }
  }

  /// Whether `type` is the subscriber of a `sink`, which only calls a closure.
  @inlinable @inline(__always)
  static func isSink<S>(_ type: S.Type) -> Bool {
    type == _SinkSubscriber<Output, Never, _NoEnding>.self
      || type == _SinkSubscriber<Output, Failure, _SinkEnding<Failure>>.self
  }

  @inlinable
  func finish(_ completion: Subscribers.Completion<Failure>) {
    var completion = completion
    unsafe withUnsafeMutablePointer(to: &completion) { unsafe signal(self, .completion, $0) }
  }

  /// Sends a value if there is demand.
  @inlinable @inline(__always)
  func send(_ value: Output) {
    if asked.load(ordering: .acquiring) == .max {
      if state.isSink {
        unsafe withUnsafeMutablePointer(to: &room) { unsafe $0.sendToSink(value) }
      } else {
        _ = offer(self, value)
      }
    } else if takeDemand() {
      giveBack(offer(self, value))
    }
  }

  /// Borrows the subscriber, which is there.
  @inlinable @inline(__always)
  func withDownstream<S: Subscriber, R>(
    _ type: S.Type,
    _ body: (borrowing _Borrowed<S>) -> R
  ) -> R {
    unsafe withUnsafeMutablePointer(to: &room) {
      unsafe withBorrowed($0.address(of: S.self), body)
    }
  }
}

extension _Conduit {
  final var children: [Mirror.Child] {
    var shown: Any?
    unsafe withUnsafeMutablePointer(to: &shown) { unsafe signal(self, .showing, $0) }
    let downstream: Mirror.Child = ("downstream", shown ?? shown as Any)
    guard hub.showsConduitsInFull else { return [downstream] }
    let asked = asked.load(ordering: .relaxed)
    let subject: _ConduitHub? = asked < 0 ? nil : hub
    let count = asked & .max == .max ? .max : asked & .max - state.used
    return [
      ("parent", subject as Any),
      downstream,
      ("demand", Subscribers.Demand(_count: count)),
      ("subject", subject as Any),
    ]
  }
}
