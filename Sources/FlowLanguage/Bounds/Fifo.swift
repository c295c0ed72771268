/// What waits to go out in order; it takes memory for what is in it, however much has gone through.
public struct Fifo<Element> {
  @usableFromInline var slots: [Element?] = []
  @usableFromInline var head = 0

  /// Makes one with nothing in it.
  @inlinable
  public init() {}

  @inlinable public var isEmpty: Bool { head == slots.count }
  @inlinable public var count: Int { slots.count - head }

  /// The one that goes out next.
  @inlinable public var first: Element? { isEmpty ? nil : slots[head] }

  /// All that waits, the first one first.
  @inlinable public var elements: some Sequence<Element> { slots[head...].lazy.compactMap(\.self) }

  @inlinable
  public mutating func append(_ element: Element) { slots.append(element) }

  /// Takes out the first one; nil if nothing waits.
  @inlinable
  public mutating func popFirst() -> Element? {
    guard head < slots.count else { return nil }
    let element = slots[head].take()
    head += 1
    if head == slots.count {
      slots.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head > 32, head * 2 > slots.count {
      slots.removeFirst(head)
      head = 0
    }
    return element
  }

  @inlinable
  public mutating func removeAll() {
    slots = []
    head = 0
  }

  /// Takes out those for which `isOut` is true; the others stay in order.
  @inlinable
  public mutating func removeAll(where isOut: (Element) -> Bool) {
    slots = elements.filter { !isOut($0) }
    head = 0
  }
}
