public import Synchronization

/// One subscription at a subject, whatever the type of its subscriber.
///
/// The demand is atomic, so that a request or a cancellation never waits for a delivery. All else
/// belongs to whoever is inside the subject's owner word.
@usableFromInline
class _Conduit<Output, Failure: Error>: _ControlSubscription {
  @usableFromInline final let subject: _SubjectBase<Output, Failure>
  /// Values it may be sent; `Int.max` is no limit, a negative number means that it is over.
  @usableFromInline final let demand = Atomic<Int>(0)
  /// The place among the subject's conduits; negative while it has none.
  @exclusivity(unchecked) @usableFromInline final var slot = -1
  /// For `CurrentValueSubject`: whether it has yet to be sent the newest value.
  @exclusivity(unchecked) @usableFromInline final var isBehind = true
  @usableFromInline final let offer: (_Conduit<Output, Failure>, Output) -> Int
  @usableFromInline final let tell: (_Conduit<Output, Failure>, _ConduitSignal<Failure>) -> Void

  @inlinable @inline(__always)
  init(
    _ name: StaticString,
    _ subject: _SubjectBase<Output, Failure>,
    offer: @escaping (_Conduit<Output, Failure>, Output) -> Int,
    tell: @escaping (_Conduit<Output, Failure>, _ConduitSignal<Failure>) -> Void,
    control: @escaping (_ControlSubscription, Int) -> Void
  ) {
    self.subject = subject
    self.offer = offer
    self.tell = tell
    super.init(name, control)
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
  final func end() -> Bool { demand.exchange(-1, ordering: .acquiringAndReleasing) >= 0 }

  @inlinable
  final var isOver: Bool { demand.load(ordering: .acquiring) < 0 }
}

/// What a conduit is to do, apart from sending values.
@frozen
@usableFromInline
enum _ConduitSignal<Failure: Error> {
  case subscription(any Subscription)
  case completion(Subscribers.Completion<Failure>)
  /// Lets go of the subscriber; never while it is being sent something.
  case release
}

/// The conduit to a subscriber of a known type.
@usableFromInline
final class _ConduitTo<S: Subscriber>: _Conduit<S.Input, S.Failure> {
  /// There until it is let go of, before which the last signal has been sent.
  @exclusivity(unchecked) @usableFromInline var downstream: S?

  @inlinable @inline(__always)
  init(
    _ name: StaticString,
    _ subject: _SubjectBase<S.Input, S.Failure>,
    _ downstream: S,
    control: @escaping (_ControlSubscription, Int) -> Void
  ) {
    self.downstream = downstream
    super.init(
      name,
      subject,
      offer: { conduit, value in
        let me = unsafeDowncast(conduit, to: _ConduitTo<S>.self)
        return withBorrowed(&me.downstream) { $0.receive(value) }
      },
      tell: { conduit, signal in
        let me = unsafeDowncast(conduit, to: _ConduitTo<S>.self)
        switch signal {
        case .subscription(let subscription):
          me.downstream?.receive(subscription: subscription)
        case .completion(let completion): me.downstream?.receive(completion: completion)
        case .release: me.downstream = nil
        }
      },
      control: control
    )
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
}

/// Borrows a subscriber that is there, and that nobody replaces meanwhile.
@inlinable @inline(__always)
func withBorrowed<S: Subscriber>(
  _ subscriber: inout S?,
  _ body: (borrowing _Borrowed<S>) -> Int
) -> Int {
  withUnsafeMutablePointer(to: &subscriber) {
    // What an optional wraps lies at its beginning.
    body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: _Borrowed<S>.self).pointee)
  }
}
