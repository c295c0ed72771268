public import Synchronization

/// A subscription that several threads send through, one at a time under an owner word.
///
/// Who sends may wait for the word, so waits point downstream only and cannot form a ring.
/// Requests and cancellations, which point upstream, never wait: they are noted in atomics, and
/// whoever is inside takes them up at the latest when it leaves.
@usableFromInline
class _OwnedSubscription: _ControlSubscription {
  @usableFromInline final let owner = OwnerLock()
  /// Demand asked for and not yet taken up.
  @usableFromInline final let asked = Atomic<Int>(0)
  /// Set by a cancellation, or by the end.
  @usableFromInline final let isOver = Atomic<Bool>(false)

  // These belong to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline final var delivery = Delivery()

  @usableFromInline
  struct Delivery {
    @usableFromInline var demand = 0
    /// Whether the downstream is being sent something; what comes meanwhile must queue.
    @usableFromInline var isUnderWay = false

    @inlinable init() {}
  }

  @inlinable @inline(__always)
  final var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// Ends it; true the first time.
  @inlinable
  final func end() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }

  /// Notes a request, or a cancellation if `count` is negative.
  ///
  /// - Returns: true if the caller is now inside, and must answer the note and leave.
  @usableFromInline
  final func enter(noting count: Int) -> Bool {
    if count < 0 {
      guard end() else { return false }
    } else {
      guard !hasEnded else { return false }
      add(count)
    }
    return owner.enterOrLeaveNote()
  }

  private func add(_ count: Int) {
    var now = asked.load(ordering: .relaxed)
    while true {
      let (exchanged, original) = asked.weakCompareExchange(
        expected: now,
        desired: addDemand(now, count),
        ordering: .releasing
      )
      if exchanged { return }
      now = original
    }
  }

  /// Takes up what has been asked for.
  @usableFromInline
  final func takeRequests() {
    delivery.demand = addDemand(delivery.demand, asked.exchange(0, ordering: .acquiring))
  }
}
