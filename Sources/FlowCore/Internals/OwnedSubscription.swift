public import Synchronization

/// A subscription that several threads send through, one at a time under an owner word.
///
/// Who sends may wait for the word, so waits point downstream only and cannot form a ring.
/// Requests and cancellations, which point upstream, never wait: they are noted in atomics, and
/// whoever is inside takes them up at the latest when it leaves.
@usableFromInline
class _OwnedSubscription: _ControlSubscription {
  @usableFromInline final let owner = OwnerLock()
  /// Demand asked for by who could not enter, and not yet taken up.
  @usableFromInline final let asked = Atomic<Int>(0)
  /// Set by a cancellation, or by the end.
  @usableFromInline final let isOver = Atomic<Bool>(false)

  // These belong to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline final var delivery = Delivery()
  @safe @exclusivity(unchecked) @usableFromInline final var upstream = OwnedUpstream()

  @usableFromInline
  struct Delivery {
    @usableFromInline var demand = 0
    /// Asked for by who was inside, and not yet taken up.
    @usableFromInline var asked = 0
    /// Whether the downstream is being sent something; what comes meanwhile must queue.
    @usableFromInline var isUnderWay = false

    @inlinable init() {}

    /// Lowers the demand by one, unless it is unlimited, or 0 because a value came unrequested.
    @inlinable @inline(__always)
    mutating func takeDemand() {
      if demand != .max, demand > 0 { demand &-= 1 }
    }
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
    if count < 0 { return end() && owner.enterOrLeaveNote() }
    if hasEnded { return false }
    if owner.enterIfFree() {
      delivery.asked = addDemand(delivery.asked, count)
      return true
    }
    add(count)
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

  /// Takes up what has been asked for; returns how much that is.
  @inlinable @inline(__always)
  final func takeAsked() -> Int {
    var count = delivery.asked
    delivery.asked = 0
    if asked.load(ordering: .relaxed) != 0 {
      count = addDemand(count, asked.exchange(0, ordering: .acquiring))
    }
    return count
  }

  /// Takes what has been asked for up into the demand.
  @inlinable @inline(__always)
  final func takeRequests() { delivery.demand = addDemand(delivery.demand, takeAsked()) }
}

extension _OwnedSubscription: _OwnedUpstreamHolder {
  @inlinable @inline(__always)
  final func withUpstream<R>(_ body: (UnsafeMutablePointer<OwnedUpstream>) -> R) -> R {
    unsafe withUnsafeMutablePointer(to: &upstream, body)
  }
}

/// An owned subscription that does what others have asked for when it leaves the owner word.
@usableFromInline
protocol _Answering: _OwnedSubscription {
  /// Does what has been asked for meanwhile.
  func answer()
  /// Lets go of what it holds, as far as nothing is being sent; called again at each end of a use.
  func close()
}

extension _Answering {
  /// Leaves the owner word, after doing what others have asked for meanwhile.
  @inlinable @inline(__always)
  func leave() {
    if hasEnded { close() }
    owner.exit {
      answer()
      if hasEnded { close() }
    }
  }
}

/// A subscriber on behalf of an operator, whose upstream belongs to whoever is inside the
/// operator's owner word.
@usableFromInline
class _OwnedLink: _OwnedUpstreamHolder {
  @safe @exclusivity(unchecked) @usableFromInline final var upstream = OwnedUpstream()  // memory 5

  @inlinable
  init() {}

  @inlinable @inline(__always)
  final func withUpstream<R>(_ body: (UnsafeMutablePointer<OwnedUpstream>) -> R) -> R {
    unsafe withUnsafeMutablePointer(to: &upstream, body)
  }
}

/// Who has an upstream that belongs to whoever is inside an owner word; to be called there.
@usableFromInline
protocol _OwnedUpstreamHolder: AnyObject {
  func withUpstream<R>(_ body: (UnsafeMutablePointer<OwnedUpstream>) -> R) -> R
}

extension _OwnedUpstreamHolder {
  /// Whether there is an upstream that has not ended.
  @inlinable @inline(__always)
  var hasUpstream: Bool { unsafe withUpstream { unsafe $0.pointee.isThere } }

  @inlinable
  func keepUpstream(_ subscription: any Subscription) {
    unsafe withUpstream { unsafe $0.keep(subscription) }
  }

  /// Asks the upstream for more, if it is there.
  @inlinable @inline(__always)
  func askUpstream(_ count: Int) { unsafe withUpstream { unsafe $0.request(.init(_count: count)) } }

  /// Cancels the upstream, if it is there.
  @inlinable
  func cancelUpstream() { unsafe withUpstream { unsafe $0.cancel() } }

  /// The upstream has ended.
  @inlinable
  func endUpstream() { unsafe withUpstream { unsafe $0.end() } }
}
