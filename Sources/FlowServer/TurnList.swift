/// Who has something to do at the end of the turn.
///
/// References are not counted: what is in it is kept elsewhere until the turn ends, by its owner or
/// by the engine's graveyard.
struct TurnList<Element: AnyObject> {
  private var elements: ContiguousArray<Unmanaged<Element>> = []

  var isEmpty: Bool { elements.isEmpty }

  mutating func append(_ element: Element) { elements.append(.passUnretained(element)) }

  func forEach(_ body: (Element) -> Void) {
    for element in elements { element._withUnsafeGuaranteedRef(body) }
  }

  mutating func removeAll() { elements.removeAll(keepingCapacity: true) }
}
