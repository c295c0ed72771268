public import Synchronization

/// Counts who is sending something to a subscriber, so that it is let go of only when nobody is.
///
/// Sending borrows the subscriber: to copy it for each value costs more than all else.
@frozen
@usableFromInline
struct UseCount: ~Copyable, Sendable {
  /// Twice the number of uses, and 1 once it is closed.
  @usableFromInline let bits = Atomic<Int>(0)

  @inlinable
  init() {}

  /// Begins a use, unless it is closed.
  @inlinable @inline(__always)
  func begin() -> Bool {
    if bits.load(ordering: .relaxed) & 1 == 1 { return false }
    if bits.wrappingAdd(2, ordering: .acquiringAndReleasing).oldValue & 1 == 0 { return true }
    _ = end()
    return false
  }

  /// Ends a use; true if what is used must be let go of now.
  @inlinable @inline(__always)
  func end() -> Bool { bits.wrappingSubtract(2, ordering: .acquiringAndReleasing).newValue == 1 }

  /// Closes it.
  ///
  /// - Returns: whether this was the first time, and whether what is used must be let go of now.
  @inlinable
  func close() -> (isFirst: Bool, mustRelease: Bool) {
    let old = bits.bitwiseOr(1, ordering: .acquiringAndReleasing).oldValue
    return (old & 1 == 0, old == 0)
  }

  @inlinable
  var isClosed: Bool { bits.load(ordering: .acquiring) & 1 == 1 }
}
