/// First in, first out, in a ring that doubles when it is full and shrinks when most of it is empty.
///
/// It has one owner: a copy shares the ring, so that nothing has to ask whether there is another
/// before it changes. Hand it on with `takeAll()`.
@usableFromInline
package struct Fifo<Element> {
  @usableFromInline typealias Ring = FifoRing<Element>

  /// There once something has been put in.
  @usableFromInline var ring: Ring?

  /// Makes one with nothing in it.
  @inlinable
  package init() {}

  @inlinable @inline(__always)
  package var count: Int { ring?.places.count ?? 0 }

  @inlinable @inline(__always)
  package var isEmpty: Bool { count == 0 }

  /// The one that goes out next.
  @inlinable
  package var first: Element? { isEmpty ? nil : self[0] }

  /// The elements, first in first.
  @inlinable
  package var elements: some Sequence<Element> { (0..<count).lazy.map { self[$0] } }

  /// The element at a place counted from the first, 0 to `count` - 1.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Element {
    unsafe ring.unsafelyUnwrapped.slot(index).pointee
  }

  /// Changes the element at a place counted from the first.
  package mutating func change(_ index: Int, _ body: (inout Element) -> Void) {
    unsafe body(&ring.unsafelyUnwrapped.slot(index).pointee)
  }

  @inlinable @inline(__always)
  package mutating func append(_ element: Element) {
    if let ring, ring.places.count < ring.places.length {
      ring.append(element)
    } else {
      grow().append(element)
    }
  }

  /// Takes out the first one; nil if nothing waits.
  @inlinable @inline(__always)
  package mutating func popFirst() -> Element? {
    guard let ring, ring.places.count > 0 else { return nil }
    let element = ring.takeFirst()
    if ring.isTooLarge { self.ring = Ring.make(ring.places.length / 4, of: ring) }
    return element
  }

  /// Takes out all elements, so that they are let go of when nobody changes this.
  @inlinable
  package mutating func takeAll() -> Fifo {
    defer { ring = nil }
    return self
  }

  /// Takes out those for which `isOut` is true; the others stay in order.
  package mutating func removeAll(where isOut: (Element) -> Bool) {
    var all = takeAll()
    while let element = all.popFirst() { if !isOut(element) { append(element) } }
  }

  /// Lets go of all elements.
  @usableFromInline
  package consuming func letGo() {
    guard let ring else { return }
    FlowCore.letGo(of: ring, count: count, as: Element.self)
  }

  @inlinable @inline(never)
  mutating func grow() -> Ring {
    let larger = Ring.make(max(4, count * 2), of: ring)
    ring = larger
    return larger
  }
}

/// The elements of a `Fifo`, after what says where they are.
@usableFromInline
@safe  // memory 8
final class FifoRing<Element>: ManagedBuffer<FifoPlaces, Element> {
  /// Makes a ring with room for `length` elements, a power of two, and moves those of another one
  /// there.
  @inlinable
  static func make(_ length: Int, of other: FifoRing?) -> FifoRing {
    let new = unsafe unsafeDowncast(
      create(minimumCapacity: length) { _ in FifoPlaces(length) },  // memory 7
      to: FifoRing.self
    )
    while let other, other.places.count > 0 { new.append(other.takeFirst()) }
    return new
  }

  deinit { while places.count > 0 { _ = takeFirst() } }

  @inlinable @inline(__always)
  var places: FifoPlaces {
    get { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee } }
    set { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee = newValue } }
  }

  /// Where the element at a place counted from the first is, or would be.
  @inlinable @inline(__always)
  func slot(_ index: Int) -> UnsafeMutablePointer<Element> {
    let places = places
    return unsafe withUnsafeMutablePointerToElements {
      unsafe $0 + ((places.head &+ index) & (places.length &- 1))
    }
  }

  /// Puts in an element, for which there is room.
  @inlinable @inline(__always)
  func append(_ element: Element) {
    unsafe slot(places.count).initialize(to: element)
    places.count &+= 1
  }

  /// Takes out the first element; there is one.
  @inlinable @inline(__always)
  func takeFirst() -> Element {
    let element = unsafe slot(0).move()
    places.head = (places.head &+ 1) & (places.length &- 1)
    places.count &-= 1
    return element
  }

  @inlinable @inline(__always)
  var isTooLarge: Bool { places.length > 64 && places.count <= places.length &>> 3 }
}

/// Which part of a ring is in use.
@frozen
@usableFromInline
struct FifoPlaces {
  /// How many there are: a power of two.
  @usableFromInline let length: Int
  @usableFromInline var head = 0
  @usableFromInline var count = 0

  @inlinable
  init(_ length: Int) { self.length = length }
}

extension FifoRing: CustomReflectable {
  /// A mirror of the elements.
  @usableFromInline
  var customMirror: Mirror {
    Mirror(self, unlabeledChildren: (0..<places.count).map { unsafe slot($0).pointee })
  }
}
