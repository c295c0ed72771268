public import Synchronization

/// Guards the state beside it, for a few instructions at a time.
///
/// Nothing of the user's is ever called while it is held. A pair of atomic operations where nobody
/// else holds it: half of what a `Mutex` costs, whose fast path is a call each way.
@frozen
@usableFromInline
package struct Lock: ~Copyable, Sendable {
  /// 0, or 1 while it is held, and 2 more while a thread sleeps that waits for it.
  @usableFromInline let word = Atomic<UInt>(0)

  @inlinable
  package init() {}

  /// Runs `body`, which reads and changes the guarded state, while no other thread does.
  @inlinable @inline(__always)
  package func withLock<R>(_ body: () -> R) -> R {
    if !word.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged { wait() }
    defer {
      if word.exchange(0, ordering: .releasing) != 1 { ParkingLot.wakeAll() }
    }
    return body()
  }

  @usableFromInline @inline(never)
  func wait() { word.wait(andSet: 1, marking: 2) }
}

extension Atomic<UInt> {
  /// Waits until the word is 0, then sets it: tries for a moment, then sleeps.
  ///
  /// The flag is set in the word while it is not 0 and somebody sleeps; who leaves it with the flag
  /// set calls `ParkingLot.wakeAll()`.
  borrowing func wait(andSet value: UInt, marking flag: UInt) {
    for attempt in 0..<64 {
      if load(ordering: .relaxed) == 0, setIfFree(value) { return }
      if attempt >= 32 { yieldThread() }
    }
    ParkingLot.park { isSet(value, orMarked: flag) }
  }

  private borrowing func setIfFree(_ value: UInt) -> Bool {
    compareExchange(expected: 0, desired: value, ordering: .acquiring).exchanged
  }

  /// True once it is set; otherwise whoever leaves it knows that someone waits.
  private borrowing func isSet(_ value: UInt, orMarked flag: UInt) -> Bool {
    while true {
      let now = load(ordering: .relaxed)
      if now == 0 {
        if setIfFree(value) { return true }
      } else if compareExchange(expected: now, desired: now | flag, ordering: .relaxed).exchanged {
        return false
      }
    }
  }
}
