/// Who has something to do at the end of the turn.
///
/// References are not counted: what is in it is kept elsewhere until the turn ends, by its owner or
/// by what the owner releases only then.
@safe
package struct TurnList<Element: AnyObject> {
  // memory 4
  @usableFromInline var elements: ContiguousArray<Unmanaged<Element>> = unsafe []

  package init() {}

  @inlinable package var isEmpty: Bool { unsafe elements.isEmpty }

  @inlinable package var count: Int { unsafe elements.count }

  @inlinable
  package mutating func append(_ element: Element) {
    unsafe elements.append(.passUnretained(element))
  }

  @inlinable
  package func forEach(_ body: (Element) -> Void) {
    unsafe forEach(at: 0..<elements.count, body)
  }

  /// The same for those at some of the places.
  @inlinable
  package func forEach(at places: Range<Int>, _ body: (Element) -> Void) {
    let elements = unsafe elements
    for index in places { unsafe elements[index]._withUnsafeGuaranteedRef(body) }
  }

  /// Removes all, and keeps the memory.
  ///
  /// For the one or two of most turns this takes a tenth of what the array's `removeAll` does.
  @inlinable
  package mutating func removeAll() {
    while unsafe !elements.isEmpty { unsafe _ = elements.removeLast() }
  }
}
