/// Who has something to do at the end of the turn.
///
/// References are not counted: what is in it is kept elsewhere until the turn ends, by its owner or
/// by the engine's `deferredReleases`.
@safe
struct TurnList<Element: AnyObject> {
  // memory 4
  private var elements: ContiguousArray<Unmanaged<Element>> = unsafe []

  var isEmpty: Bool { unsafe elements.isEmpty }

  var count: Int { unsafe elements.count }

  mutating func append(_ element: Element) { unsafe elements.append(.passUnretained(element)) }

  func forEach(_ body: (Element) -> Void) {
    let elements = unsafe elements
    for index in unsafe elements.indices { unsafe elements[index]._withUnsafeGuaranteedRef(body) }
  }

  /// The same for those at some of the places.
  func forEach(at places: Range<Int>, _ body: (Element) -> Void) {
    let elements = unsafe elements
    for index in places { unsafe elements[index]._withUnsafeGuaranteedRef(body) }
  }

  /// Removes all, and keeps the memory.
  ///
  /// For the one or two of most turns this takes a tenth of what the array's `removeAll` does.
  mutating func removeAll() {
    while unsafe !elements.isEmpty { unsafe _ = elements.removeLast() }
  }
}
