/// First in, first out, in a ring that doubles when it is full and shrinks when most of it is empty.
@usableFromInline
package struct Fifo<Element> {
  /// Its length is a power of two.
  @usableFromInline var ring: ContiguousArray<Element?> = []
  @usableFromInline var head = 0
  @usableFromInline package var count = 0

  /// Makes one with nothing in it.
  @inlinable
  package init() {}

  @inlinable @inline(__always)
  package var isEmpty: Bool { count == 0 }

  /// The one that goes out next.
  @inlinable
  package var first: Element? { isEmpty ? nil : ring[head] }

  /// The elements, first in first.
  @inlinable
  package var elements: some Sequence<Element> {
    (0..<count).lazy.compactMap { ring[(head &+ $0) & (ring.count &- 1)] }
  }

  /// The element at a place counted from the first, 0 to `count` - 1.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Element {
    unsafe ring[(head &+ index) & (ring.count &- 1)].unsafelyUnwrapped
  }

  @inlinable
  package mutating func append(_ element: Element) {
    if count == ring.count { resize(to: max(4, count * 2)) }
    ring[(head &+ count) & (ring.count &- 1)] = element
    count &+= 1
  }

  /// Takes out the first one; nil if nothing waits.
  @inlinable
  package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = ring[head].take()
    head = (head &+ 1) & (ring.count &- 1)
    count &-= 1
    if ring.count > 64, count <= ring.count &>> 3 { resize(to: ring.count / 4) }
    return element
  }

  /// Takes out all elements, so that they are let go of when nobody changes this.
  @inlinable
  package mutating func takeAll() -> Fifo {
    defer { self = Fifo() }
    return self
  }

  /// Takes out those for which `isOut` is true; the others stay in order.
  package mutating func removeAll(where isOut: (Element) -> Bool) {
    let all = takeAll()
    for element in all.elements where !isOut(element) { append(element) }
  }

  /// Lets go of all elements.
  @usableFromInline
  package consuming func letGo() { FlowCore.letGo(of: ring, count: count, as: Element.self) }

  @usableFromInline
  mutating func resize(to length: Int) {
    var other: ContiguousArray<Element?> = []
    other.reserveCapacity(length)
    for index in 0..<count { other.append(ring[(head &+ index) & (ring.count &- 1)].take()) }
    for _ in count..<length { other.append(nil) }
    ring = other
    head = 0
  }
}
