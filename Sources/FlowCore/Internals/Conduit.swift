/// One subscription at a subject, whatever the type of its subscriber.
@usableFromInline
class _Conduit<Output, Failure: Error>: _ControlSubscription {
  /// Values it may be sent, where `Int.max` is no limit; guarded by the subject's owner word.
  @exclusivity(unchecked) @usableFromInline final var demand = 0
  /// The place among the subject's conduits; negative once it has ended.
  @exclusivity(unchecked) @usableFromInline final var slot = -1
  /// For `CurrentValueSubject`: whether it has been sent the present value.
  @exclusivity(unchecked) @usableFromInline final var isUpToDate = false
  @usableFromInline final let offer: (_Conduit<Output, Failure>, Output) -> Int
  @usableFromInline final let finish:
    (_Conduit<Output, Failure>, Subscribers.Completion<Failure>) -> Void

  @inlinable
  init(
    _ name: StaticString,
    offer: @escaping (_Conduit<Output, Failure>, Output) -> Int,
    finish: @escaping (_Conduit<Output, Failure>, Subscribers.Completion<Failure>) -> Void,
    control: @escaping (_ControlSubscription, Int) -> Void
  ) {
    self.offer = offer
    self.finish = finish
    super.init(name, control)
  }

  /// Sends a value if there is demand; says whether there was.
  @inlinable @inline(__always)
  final func send(_ value: Output) -> Bool {
    if demand == .max {
      _ = offer(self, value)
      return true
    }
    guard demand > 0 else { return false }
    demand &-= 1
    demand = addDemand(demand, offer(self, value))
    return true
  }
}

/// The conduit to a subscriber of a known type, from a subject of a known type.
@usableFromInline
final class _ConduitTo<S: Subscriber, Parent: AnyObject>: _Conduit<S.Input, S.Failure> {
  @exclusivity(unchecked) @usableFromInline var downstream: S?
  @exclusivity(unchecked) @usableFromInline var parent: Parent?

  @inlinable @inline(__always)
  init(
    _ name: StaticString,
    _ downstream: S,
    _ parent: Parent,
    control: @escaping (_ControlSubscription, Int) -> Void
  ) {
    self.downstream = downstream
    self.parent = parent
    super.init(
      name,
      offer: { conduit, value in
        unsafeDowncast(conduit, to: _ConduitTo<S, Parent>.self).downstream?.receive(value)._count
          ?? 0
      },
      finish: { conduit, completion in
        let me = unsafeDowncast(conduit, to: _ConduitTo<S, Parent>.self)
        let downstream = me.downstream
        me.downstream = nil
        me.parent = nil
        downstream?.receive(completion: completion)
      },
      control: control
    )
  }
}

/// The conduits of a subject in order of subscription; one that ends leaves a hole for a while.
@usableFromInline
struct _ConduitList<Output, Failure: Error> {
  @usableFromInline typealias Conduit = _Conduit<Output, Failure>

  @usableFromInline var base: UnsafeMutablePointer<Unmanaged<Conduit>?>
  @usableFromInline var count = 0
  @usableFromInline var capacity = 2
  @usableFromInline var holes = 0
  /// How many sends are under way, one inside another.
  @usableFromInline var emitting = 0

  @inlinable
  init() { base = .allocate(capacity: 2) }

  /// Frees the list, for the subject's `deinit`. The list could have one of its own if it were
  /// `~Copyable`, but then the 6.3 compiler crashes on it in release builds.
  @usableFromInline
  func free() {
    for index in 0..<count { base[index]?.release() }
    base.deallocate()
  }

  @usableFromInline
  mutating func append(_ conduit: Conduit) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Unmanaged<Conduit>?>.allocate(capacity: capacity * 2)
      larger.moveInitialize(from: base, count: count)
      base.deallocate()
      base = larger
      capacity *= 2
    }
    (base + count).initialize(to: .passRetained(conduit))
    conduit.slot = count
    count += 1
  }

  /// Takes a conduit out; the caller keeps it alive.
  @usableFromInline
  mutating func remove(_ conduit: Conduit) {
    let slot = conduit.slot
    guard slot >= 0, let reference = base[slot] else { return }
    conduit.slot = -1
    conduit.demand = 0
    base[slot] = nil
    holes += 1
    compactIfIdle()
    reference.release()
  }

  @usableFromInline
  mutating func compactIfIdle() {
    guard emitting == 0, holes > 0, holes * 2 > count || holes > 64 else { return }
    var kept = 0
    for index in 0..<count {
      guard let reference = base[index] else { continue }
      base[kept] = reference
      reference._withUnsafeGuaranteedRef { $0.slot = kept }
      kept += 1
    }
    count = kept
    holes = 0
  }

  /// Takes all conduits out, in order.
  @usableFromInline
  mutating func removeAll() -> [Conduit] {
    var conduits: [Conduit] = []
    for index in 0..<count {
      guard let reference = base[index] else { continue }
      base[index] = nil
      holes += 1
      let conduit = reference.takeRetainedValue()
      conduit.slot = -1
      conduits.append(conduit)
    }
    compactIfIdle()
    return conduits
  }
}
