/// First in, first out, in a ring that grows and never shrinks.
@usableFromInline
struct _Queue<Element> {
  private var ring: [Element?] = []
  private var head = 0
  @usableFromInline private(set) var count = 0

  @usableFromInline
  init(capacity: Int = 0) {
    if capacity > 0 { ring = Array(repeating: nil, count: capacity) }
  }

  @usableFromInline var isEmpty: Bool { count == 0 }

  @usableFromInline
  mutating func append(_ element: Element) {
    if count == ring.count { grow() }
    var place = head + count
    if place >= ring.count { place -= ring.count }
    ring[place] = element
    count += 1
  }

  @usableFromInline
  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = ring[head].take()
    head += 1
    if head == ring.count { head = 0 }
    count -= 1
    return element
  }

  private mutating func grow() {
    var larger: [Element?] = []
    larger.reserveCapacity(max(4, ring.count * 2))
    larger += ring[head...]
    larger += ring[..<head]
    larger += Array(repeating: nil, count: max(4, ring.count * 2) - ring.count)
    ring = larger
    head = 0
  }
}
