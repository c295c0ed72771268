public import Synchronization

/// A word that says which thread delivers; the same thread may enter again.
///
/// It is held while values are delivered, so that signals never overlap. Only who delivers may
/// wait for it. Requests, cancellations and subscriptions must not: the thread inside may be
/// waiting for something that theirs holds. They enter if they can, and otherwise leave a note,
/// which the thread inside is sure to find when it leaves.
@frozen
@usableFromInline
struct OwnerLock: ~Copyable, Sendable {
  /// The thread inside, with two flags in the bits that are always 0 in a thread's identity.
  @usableFromInline let word = Atomic<UInt>(0)
  /// How often the thread inside has entered again; only it touches this.
  @usableFromInline let depth = Atomic<Int>(0)

  @inlinable @inline(__always) static var note: UInt { 1 }
  @inlinable @inline(__always) static var waiters: UInt { 2 }
  @inlinable @inline(__always) static var flags: UInt { 3 }

  @inlinable
  init() {}

  /// Waits until no other thread is inside.
  @inlinable @inline(__always)
  func enter() {
    let me = currentThread()
    let (entered, now) = word.compareExchange(expected: 0, desired: me, ordering: .acquiring)
    if entered { return }
    if now & ~Self.flags == me { enterAgain() } else { enterWhenFree(me) }
  }

  /// Enters, or leaves a note if another thread is inside; says whether it entered.
  @inlinable
  func enterOrLeaveNote() -> Bool {
    let me = currentThread()
    var now: UInt = 0
    while true {
      let isFree = now == 0
      if !isFree, now & ~Self.flags == me {
        enterAgain()
        return true
      }
      let (exchanged, original) = word.compareExchange(
        expected: now,
        desired: isFree ? me : now | Self.note,
        ordering: .acquiringAndReleasing
      )
      if exchanged { return isFree }
      now = original
    }
  }

  /// Enters unless another thread is inside.
  @inlinable
  func enterIfFree() -> Bool {
    let me = currentThread()
    let (entered, now) = word.compareExchange(expected: 0, desired: me, ordering: .acquiring)
    if entered { return true }
    guard now & ~Self.flags == me else { return false }
    enterAgain()
    return true
  }

  /// Leaves as often as entered; `answer` is called, still inside, if a note was left.
  @inlinable @inline(__always)
  func exit(_ answer: () -> Void = {}) {
    if exitUnlessFlagged() { return }
    while isNoteTaken() { answer() }
  }

  /// Leaves, as often as entered, unless a note was left or somebody waits.
  @inlinable @inline(__always)
  func exitUnlessFlagged() -> Bool {
    let again = depth.load(ordering: .relaxed)
    if again > 0 {
      depth.store(again &- 1, ordering: .relaxed)
      return true
    }
    let now = word.load(ordering: .relaxed)
    return now & Self.flags == 0
      && word.compareExchange(expected: now, desired: 0, ordering: .releasing).exchanged
  }

  @inlinable @inline(__always)
  func enterAgain() {
    depth.store(depth.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
  }

  /// Leaves, or takes the note off and stays.
  @usableFromInline
  func isNoteTaken() -> Bool {
    while true {
      let now = word.load(ordering: .relaxed)
      if now & Self.note != 0 {
        word.bitwiseAnd(~Self.note, ordering: .acquiring)
        return true
      }
      if word.compareExchange(expected: now, desired: 0, ordering: .releasing).exchanged {
        if now & Self.waiters != 0 { ParkingLot.wakeAll() }
        return false
      }
    }
  }

  @usableFromInline @inline(never)
  func enterWhenFree(_ me: UInt) { word.wait(andSet: me, marking: Self.waiters) }
}
