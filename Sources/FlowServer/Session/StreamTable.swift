/// A table of one connection's streams, in the order of their ids.
///
/// Most connections have one stream, which needs no array; this matters with ten thousand of them.
/// Ids mostly ascend, so adding mostly appends.
struct StreamTable<Element> {
  /// The only element; `entries` is then empty.
  private var only: (id: UInt64, element: Element)?
  private var entries: ContiguousArray<(id: UInt64, element: Element)> = []

  var isEmpty: Bool { count == 0 }
  var count: Int { only == nil ? entries.count : 1 }
  var ids: [UInt64] { only.map { [$0.id] } ?? entries.map(\.id) }
  var values: [Element] { only.map { [$0.element] } ?? entries.map(\.element) }

  subscript(id: UInt64) -> Element? {
    get {
      if let only { return only.id == id ? only.element : nil }
      let place = place(of: id)
      return place < entries.count && entries[place].id == id ? entries[place].element : nil
    }
    set {
      if let only, only.id != id {
        guard newValue != nil else { return }
        entries = [only]
        self.only = nil
      }
      if entries.isEmpty { only = newValue.map { (id, $0) } } else { change(id, newValue) }
    }
  }

  private mutating func change(_ id: UInt64, _ newValue: Element?) {
    let place = place(of: id)
    let isThere = place < entries.count && entries[place].id == id
    switch (newValue, isThere) {
    case (let element?, true): entries[place].element = element
    case (let element?, false): entries.insert((id, element), at: place)
    case (nil, true):
      entries.remove(at: place)
      guard entries.count == 1 else { return }
      only = entries[0]
      entries = []
    case (nil, false): break
    }
  }

  /// The index of `id`, or where it would be inserted.
  private func place(of id: UInt64) -> Int {
    guard let last = entries.last, last.id >= id else { return entries.count }
    var low = 0
    var high = entries.count - 1
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
