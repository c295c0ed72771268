public import Synchronization

/// Outstanding demand that doubles as the right to deliver: whoever raises it from 0 delivers.
///
/// Requests from other threads, or from inside a delivery, only add; the one who delivers finds
/// them when it lowers the count by what it has delivered. So signals never overlap, nothing
/// blocks, and a request inside `receive(_:)` does not recurse.
@frozen
@usableFromInline
struct DemandCounter: ~Copyable, Sendable {
  @usableFromInline let count = Atomic<Int>(0)

  @inlinable
  init() {}

  /// Adds demand; true if the caller must deliver.
  @inlinable
  func add(_ demand: Int) -> Bool {
    var old = count.load(ordering: .relaxed)
    while true {
      let (exchanged, original) = count.weakCompareExchange(
        expected: old,
        desired: addDemand(old, demand),
        ordering: .acquiringAndReleasing
      )
      if exchanged { return old == 0 }
      old = original
    }
  }

  /// Takes off what was delivered; returns what is left, 0 ending the right to deliver.
  @inlinable
  func subtract(_ delivered: Int) -> Int {
    var old = count.load(ordering: .relaxed)
    while old != .max {
      let (exchanged, original) = count.weakCompareExchange(
        expected: old,
        desired: old &- delivered,
        ordering: .acquiringAndReleasing
      )
      if exchanged { return old &- delivered }
      old = original
    }
    return .max
  }

  /// Takes off all there is.
  @inlinable
  func take() -> Int { count.exchange(0, ordering: .acquiringAndReleasing) }

  @inlinable
  var current: Int { count.load(ordering: .acquiring) }
}
