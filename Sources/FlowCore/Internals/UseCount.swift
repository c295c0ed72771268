public import Synchronization

/// Counts who is calling an upstream or a subscriber, so that both are let go of only when nobody is.
///
/// To count a reference for each call costs more than all else. The same word says whether there is
/// an upstream to call, so that a request needs no lock.
@frozen
@usableFromInline
struct UseCount: ~Copyable, Sendable {
  /// The flags below, and the number of uses above them.
  @usableFromInline let bits = Atomic<Int>(0)

  @inlinable @inline(__always) static var closed: Int { 1 }
  /// Whether an upstream's subscription has been taken.
  @inlinable @inline(__always) static var taken: Int { 2 }
  /// Whether that is there, and has not ended.
  @inlinable @inline(__always) static var there: Int { 4 }
  @inlinable @inline(__always) static var one: Int { 8 }

  @inlinable
  init() {}

  /// Begins a use, unless it is closed.
  @inlinable @inline(__always)
  func begin() -> Bool {
    // The bits are checked before a use is added: otherwise a refused caller might hold the last
    // use, and it releases nothing.
    var now = bits.load(ordering: .relaxed)
    while now & Self.closed == 0 {
      let (exchanged, original) = bits.weakCompareExchange(
        expected: now,
        desired: now &+ Self.one,
        successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed
      )
      if exchanged { return true }
      now = original
    }
    return false
  }

  /// Ends a use; true if what is used must be let go of now.
  @inlinable @inline(__always)
  func end() -> Bool {
    isUnused(bits.wrappingSubtract(Self.one, ordering: .acquiringAndReleasing).newValue)
  }

  /// Closes it.
  ///
  /// - Returns: whether this was the first time, and whether what is used must be let go of now.
  @inlinable
  func close() -> (isFirst: Bool, mustRelease: Bool) {
    let old = bits.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).oldValue
    return (old & Self.closed == 0, old & Self.closed == 0 && isUnused(old | Self.closed))
  }

  @inlinable
  var isClosed: Bool { bits.load(ordering: .acquiring) & Self.closed != 0 }

  @inlinable @inline(__always)
  func isUnused(_ bits: Int) -> Bool { bits & ~(Self.taken | Self.there) == Self.closed }
}

// The upstream, whose subscription comes once.
extension UseCount {
  /// Whether an upstream's subscription has come.
  @inlinable @inline(__always)
  var hasStarted: Bool { bits.load(ordering: .acquiring) & Self.taken != 0 }

  /// Whether there is an upstream that has not ended.
  @inlinable @inline(__always)
  var hasUpstream: Bool { bits.load(ordering: .acquiring) & Self.there != 0 }

  /// Takes the one upstream, from inside a use; false if it is not the first, or comes too late.
  @inlinable
  func takeFirst() -> Bool {
    let old = bits.bitwiseOr(Self.taken, ordering: .acquiringAndReleasing).oldValue
    return old & (Self.taken | Self.closed) == 0
  }

  /// Says that the upstream is there to be called; false if it has been closed meanwhile.
  @inlinable
  func publishUpstream() -> Bool {
    bits.bitwiseOr(Self.there, ordering: .acquiringAndReleasing).oldValue & Self.closed == 0
  }

  /// Takes the upstream away from those who come later; false if there is none.
  @inlinable
  func endUpstream() -> Bool {
    bits.bitwiseAnd(~Self.there, ordering: .acquiringAndReleasing).oldValue & Self.there != 0
  }
}
