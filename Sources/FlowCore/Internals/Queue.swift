/// First in, first out, in a ring that grows by doubling and never shrinks.
@usableFromInline
struct _Queue<Element> {
  /// Its length is a power of two.
  @usableFromInline var ring: ContiguousArray<Element?> = []
  @usableFromInline var head = 0
  @usableFromInline var count = 0

  @inlinable
  init() {}

  @inlinable @inline(__always)
  var isEmpty: Bool { count == 0 }

  /// The elements, first in first.
  var array: [Element] {
    (0..<count).compactMap { ring[(head &+ $0) & (ring.count &- 1)] }
  }

  /// The element at a place counted from the first, 0 to `count` - 1.
  @inlinable @inline(__always)
  subscript(index: Int) -> Element {
    unsafe ring[(head &+ index) & (ring.count &- 1)].unsafelyUnwrapped
  }

  @inlinable
  mutating func append(_ element: Element) {
    if count == ring.count { grow() }
    ring[(head &+ count) & (ring.count &- 1)] = element
    count &+= 1
  }

  @inlinable
  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = ring[head].take()
    head = (head &+ 1) & (ring.count &- 1)
    count &-= 1
    return element
  }

  /// Takes out all elements, so that they are let go of when nobody changes this.
  @inlinable
  mutating func takeAll() -> _Queue {
    defer { self = _Queue() }
    return self
  }

  /// Lets go of all elements.
  @usableFromInline
  consuming func letGo() { FlowCore.letGo(of: ring, count: count, as: Element.self) }

  @usableFromInline
  mutating func grow() {
    var larger: ContiguousArray<Element?> = []
    larger.reserveCapacity(max(4, ring.count * 2))
    larger += ring[head...]
    larger += ring[..<head]
    for _ in 0..<max(4, ring.count) { larger.append(nil) }
    ring = larger
    head = 0
  }
}
