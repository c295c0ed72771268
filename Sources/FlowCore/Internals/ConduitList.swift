/// The conduits of a subject in order of subscription; one that ends leaves a hole for a while.
///
/// Nothing here calls anybody.
@safe
@usableFromInline
struct _ConduitList {
  // memory 9
  @usableFromInline var base: UnsafeMutablePointer<Unmanaged<_Conduit>?>
  @usableFromInline var count = 0
  @usableFromInline var capacity = 2
  @usableFromInline var holes = 0

  @inlinable
  init() { unsafe base = .allocate(capacity: 2) }

  /// Frees the list when its subject is freed.
  ///
  /// A `deinit` of its own would need a `~Copyable` list, on which the 6.3 compiler crashes in
  /// release builds.
  @usableFromInline
  func free() {
    for index in 0..<count { unsafe base[index]?.release() }
    unsafe base.deallocate()
  }

  @usableFromInline
  mutating func append(_ conduit: _Conduit) {
    if count == capacity {
      let larger = UnsafeMutablePointer<Unmanaged<_Conduit>?>.allocate(capacity: capacity * 2)
      unsafe larger.moveInitialize(from: base, count: count)
      unsafe base.deallocate()
      unsafe base = unsafe larger
      capacity *= 2
    }
    unsafe (base + count).initialize(to: .passRetained(conduit))
    conduit.slot = Int32(count)
    count += 1
  }

  /// Takes one out, if it is in; the caller keeps it alive.
  @usableFromInline
  mutating func remove(_ conduit: _Conduit) {
    let slot = Int(conduit.slot)
    guard slot >= 0, let reference = unsafe base[slot] else { return }
    conduit.slot = -1
    unsafe base[slot] = nil
    unsafe reference.release()
    holes += 1
    if holes * 2 > count { compact() }
  }

  /// Takes out all that are over.
  @usableFromInline
  mutating func removeEnded() -> [_Conduit] {
    var ended: [_Conduit] = []
    for index in 0..<count {
      guard let reference = unsafe base[index] else { continue }
      // memory 4
      guard unsafe reference._withUnsafeGuaranteedRef({ $0.isOver }) else { continue }
      unsafe base[index] = nil
      let conduit = unsafe reference.takeRetainedValue()
      conduit.slot = -1
      ended.append(conduit)
    }
    compact()
    return ended
  }

  private mutating func compact() {
    var kept = 0
    for index in 0..<count {
      guard let reference = unsafe base[index] else { continue }
      unsafe base[kept] = unsafe reference
      unsafe reference._withUnsafeGuaranteedRef { $0.slot = Int32(kept) }
      kept += 1
    }
    count = kept
    holes = 0
  }
}
